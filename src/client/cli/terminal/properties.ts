/** Shows one item in a terminal. */
import type { Colors } from "../io.ts";
import { visibleText } from "./text.ts";

/** The item's name, then one property per line. Empty properties are left out. */
export function propertyLines(name: string, properties: Readonly<Record<string, string>>, colors: Colors): string[] {
  const shown = Object.entries(properties).filter(([, value]) => value !== "");
  return [colors.bold(visibleText(name)), ...shown.map(([title, value]) => propertyLine(title, value, colors))];
}

export function propertyLine(title: string, value: string, colors: Colors): string {
  return `  ${colors.dim(title.padEnd(12))}${visibleText(value)}`;
}
