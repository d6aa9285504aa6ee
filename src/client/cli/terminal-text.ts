/** Formats texts, shares, times and tables for a terminal. Pure. */
import stringWidth from "string-width";

/**
 * Escapes control and format characters as `\u{1b}`. Titles, cities and referrers are untrusted: such characters could
 * trigger commands of the terminal, hide text or forge lines.
 */
export function visibleText(value: unknown): string {
  return String(value ?? "").replace(HIDDEN, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** Line and paragraph separators are not control characters, but also break lines. */
export const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** With one decimal; empty if the divisor is zero. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? "" : `${((part / whole) * 100).toFixed(1)} %`;
}

/** In the machine's time zone. @param at  ISO 8601 */
export function localTime(at: string): string {
  const date = new Date(at);
  return `${localDay(date)} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/** The time of the day; if it is not that of `now`, with the date. @param now  epoch ms */
export function clockTime(at: string, now: number): string {
  const date = new Date(at);
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
  return localDay(date) === localDay(new Date(now)) ? time : `${localDay(date)} ${time}`;
}

function localDay(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join("-");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

export interface Column<Item> {
  title: string;
  align?: "right";
  cell: (item: Item) => string | undefined;
}

const GAP = "  ";
/** Columns do not shrink below this width. */
const LEAST_WIDTH = 12;

/**
 * Text in columns. Cells are made safe for a terminal.
 * @param width  of the terminal; wide columns are cut until lines fit. If undefined (no terminal), nothing is cut
 * @returns lines without line ends; the first has the titles
 */
export function tableLines<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  width?: number,
  paintTitles = (titles: string) => titles,
): string[] {
  const cells = columns.map(({ title, cell }) => [title, ...items.map((item) => visibleText(cell(item)))]);
  const natural = cells.map((column) => Math.max(...column.map((cell) => stringWidth(cell))));
  const widths = width === undefined ? natural : fitted(natural, width);
  const [titles = "", ...lines] = ["", ...items].map((_, line) => {
    const padded = columns.map(({ align }, i) => paddedCell(cells[i]?.[line] ?? "", widths[i] ?? 0, align));
    return padded.join(GAP).trimEnd();
  });
  return [paintTitles(titles), ...lines];
}

function paddedCell(text: string, width: number, align: "right" | undefined): string {
  const cell = cut(text, width);
  const space = " ".repeat(Math.max(width - stringWidth(cell), 0));
  return align === "right" ? space + cell : cell + space;
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
