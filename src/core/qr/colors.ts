/**
 * Colors of QR codes: their contrast (WCAG 2.2, "relative luminance" and "contrast ratio"), unrounded, and the pixels
 * of logos, composited over them. Pure.
 */

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

/** Pixels of a logo, composited over the code's background. */

/** Opaque pixels, three bytes each, by row. */
export interface Raster {
  width: number;
  height: number;
  rgb: Uint8Array;
}

/** @param rgba  premultiplied, as renderers return it */
export function compositeOver(width: number, height: number, rgba: Uint8Array, background: Rgb): Raster {
  const rgb = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    const rest = 1 - (rgba[from + 3] ?? 0) / 255;
    for (let channel = 0; channel < 3; channel++) {
      rgb[to + channel] = Math.min(255, Math.round((rgba[from + channel] ?? 0) + (background[channel] ?? 0) * rest));
    }
  }
  return { width, height, rgb };
}

/** Scales with bilinear interpolation. */
export function resized(raster: Raster, scale: number): Raster {
  const width = Math.max(1, Math.round(raster.width * scale));
  const height = Math.max(1, Math.round(raster.height * scale));
  if (width === raster.width && height === raster.height) return raster;
  const columns = samplePositions(raster.width, width);
  const rgb = new Uint8Array(width * height * 3);
  let to = 0;
  for (const { at: top, next: bottom, share: down } of samplePositions(raster.height, height)) {
    for (const { at: left, next: right, share: across } of columns) {
      for (let channel = 0; channel < 3; channel++) {
        const pixel = (row: number, column: number) => raster.rgb[(row * raster.width + column) * 3 + channel] ?? 0;
        const above = pixel(top, left) * (1 - across) + pixel(top, right) * across;
        const below = pixel(bottom, left) * (1 - across) + pixel(bottom, right) * across;
        rgb[to++] = Math.round(above * (1 - down) + below * down);
      }
    }
  }
  return { width, height, rgb };
}

/** For each target pixel, the two source pixels around its center and the weight of the second. */
function samplePositions(from: number, to: number) {
  return Array.from({ length: to }, (_, index) => {
    const middle = Math.min(Math.max(((index + 0.5) * from) / to - 0.5, 0), from - 1);
    const at = Math.floor(middle);
    return { at, next: Math.min(at + 1, from - 1), share: middle - at };
  });
}
