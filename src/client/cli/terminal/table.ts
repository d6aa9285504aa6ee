/** Text in columns. Pure. Cells must already be safe for a terminal. */
import stringWidth from "string-width";

export interface Column {
  title: string;
  align?: "right";
}

const GAP = "  ";
/** Columns do not shrink below this width. */
const LEAST_WIDTH = 12;

/**
 * @param width  of the terminal; wide columns are cut until lines fit. If undefined (no terminal), nothing is cut
 * @returns lines without line ends; the first has the titles
 */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[], width?: number): string[] {
  const lines = [columns.map(({ title }) => title), ...rows];
  const natural = columns.map((_, i) => lines.reduce((most, cells) => Math.max(most, stringWidth(cells[i] ?? "")), 0));
  const widths = width === undefined ? natural : fitted(natural, width);
  return lines.map((cells) => lineOf(cells, columns, widths));
}

function lineOf(cells: readonly string[], columns: readonly Column[], widths: readonly number[]): string {
  const padded = columns.map(({ align }, i) => {
    const cell = cut(cells[i] ?? "", widths[i] ?? 0);
    const space = " ".repeat(Math.max((widths[i] ?? 0) - stringWidth(cell), 0));
    return align === "right" ? space + cell : cell + space;
  });
  return padded.join(GAP).trimEnd();
}

/** The widest column shrinks first. */
function fitted(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  const excess = widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length) - width;
  for (let less = 0; less < excess; less++) {
    const most = Math.max(...widths);
    if (most <= LEAST_WIDTH) break;
    widths[widths.indexOf(most)] = most - 1;
  }
  return widths;
}

/** Cuts between graphemes, so that an emoji is never cut in half. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let shown = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(shown + segment) > width - 1) break;
    shown += segment;
  }
  return `${shown}…`;
}
