/** Rows as JSON texts, which a statement reads with `json_each`. */

/** A value bound to a statement of D1 has at most 2 MB, and a UTF-16 unit takes three bytes at most. */
const TEXT_MAX_UNITS = 600_000;

/** As few texts as D1 takes: one, unless the rows are unusually long. A row must fit into a text. */
export function jsonTexts(rows: readonly unknown[]): string[] {
  if (rows.length === 0) return [];
  const text = JSON.stringify(rows);
  if (text.length <= TEXT_MAX_UNITS || rows.length === 1) return [text];
  const half = Math.ceil(rows.length / 2);
  return [...jsonTexts(rows.slice(0, half)), ...jsonTexts(rows.slice(half))];
}
