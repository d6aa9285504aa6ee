/** A QR code in a terminal: two modules a character, of which the upper half block is one and the ground the other. Pure. */
import type { Matrix } from "../../../core/qr/matrix.ts";

/** Modules that must be light around a code. */
const QUIET_ZONE = 4;
const RESET = "\u001b[0m";
/** The same black on white on every terminal, whatever its colours. */
const BLACK_ON_WHITE = "\u001b[38;2;0;0;0;48;2;255;255;255m";

/**
 * @param hasColors  without them light modules are drawn in the text's colour, so that it can be read on a dark ground, and
 *   by most readers on a light one
 */
export function halfBlockLines(matrix: Matrix, hasColors: boolean): string[] {
  const size = matrix.side + 2 * QUIET_ZONE;
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, line) =>
    Array.from({ length: size }, (_column, column) => {
      const upper = isInk(matrix, 2 * line - QUIET_ZONE, column - QUIET_ZONE, hasColors);
      const lower = isInk(matrix, 2 * line + 1 - QUIET_ZONE, column - QUIET_ZONE, hasColors);
      return upper ? (lower ? "█" : "▀") : lower ? "▄" : " ";
    }).join(""),
  );
  return hasColors ? lines.map((line) => BLACK_ON_WHITE + line + RESET) : lines;
}

/** What is drawn: dark modules in black, or without colours the light ones. */
function isInk(matrix: Matrix, row: number, column: number, hasColors: boolean): boolean {
  const isInside = row >= 0 && column >= 0 && row < matrix.side && column < matrix.side;
  const isDark = isInside && matrix.isDark(row, column);
  return isDark === hasColors;
}
