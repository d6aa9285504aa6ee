/** What a command has to say: JSON for programs, lines for people. */

/** A list stands under `data`. */
export type Report = Record<string, string | boolean | null | Record<string, unknown>[]>;

/** Name and value in lines; a list in lines of their own, its cells apart by tabs. */
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

/** Texts of strangers may hold what a terminal obeys, or what makes one line look like two. */
function escapeControls(value: unknown): string {
  return String(value ?? "").replace(/\p{C}/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
