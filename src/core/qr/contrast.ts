/** Contrast of two colors (WCAG 2.2, "relative luminance" and "contrast ratio"), unrounded. Pure. */

export const CONTRAST_MIN = 4.5;

export type Rgb = readonly [red: number, green: number, blue: number];

/** @param color  `#` and six hex digits */
export function rgbOf(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The contrast ratio, from 1 (equal colors) to 21 (black on white), in either order. */
export function contrastRatio(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(rgbOf(one)), luminance(rgbOf(other))].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
