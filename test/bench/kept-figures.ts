/**
 * Figures that prices and `npm run simulate` use: `src/core/costs/measured.json` names them and has their last values.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Figure } from "./figures.ts";

const PATH = join(import.meta.dirname, "../../src/core/costs/measured.json");
const DIGITS = 4;

/** Replaces the values of the figures that the file names; others are not kept. */
export function keepFigures(figures: readonly Figure[]): void {
  const kept = JSON.parse(readFileSync(PATH, "utf8")) as Record<string, number>;
  for (const { name, value } of figures) if (name in kept) kept[name] = Number(value.toPrecision(DIGITS));
  writeFileSync(PATH, `${JSON.stringify(kept, null, 2)}\n`);
}
