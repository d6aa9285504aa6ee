/** Output of a command: JSON for programs, text for people. */

/** A list is in `data`. */
export type Report = Record<string, string | boolean | null | Record<string, unknown>[]>;

/** One line per name and value; one line per item of a list, with its cells separated by tabs. */
export function formatReport(report: Report): string {
  return Object.entries(report)
    .map(([name, value]) => (Array.isArray(value) ? formatTable(value) : `${name.padEnd(12)}${escapeControls(value)}`))
    .join("\n");
}

function formatTable(rows: Record<string, unknown>[]): string {
  const [first = {}] = rows;
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row))];
  return lines.map((cells) => cells.map(escapeControls).join("\t")).join("\n");
}

/**
 * Escapes control and format characters: text from users could contain terminal commands, or a line break that forges
 * another line.
 */
export function escapeControls(value: unknown): string {
  return String(value ?? "").replace(/\p{C}/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
