/** Shows items in a terminal: several as a table, or one by its properties. */
import type { Colors, Io } from "../io.ts";
import { type Column, tableLines, visibleText } from "./text.ts";

/** @param rows  cells that are safe for a terminal */
export async function printTable(
  io: Io,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const [titles = "", ...lines] = tableLines(columns, rows, io.width);
  await io.print(io.colors.bold(titles), ...lines);
}

/** The item's name, then one property per line. Empty properties are left out. */
export function propertyLines(name: string, properties: Readonly<Record<string, string>>, colors: Colors): string[] {
  const shown = Object.entries(properties).filter(([, value]) => value !== "");
  return [colors.bold(visibleText(name)), ...shown.map(([title, value]) => propertyLine(title, value, colors))];
}

export function propertyLine(title: string, value: string, colors: Colors): string {
  return `  ${colors.dim(title.padEnd(12))}${visibleText(value)}`;
}
