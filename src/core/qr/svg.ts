/**
 * QR codes as SVG: one path for all dark modules, a horizontal stroke for each run. A logo is drawn in the same way,
 * one path per color. Nothing is copied from the uploaded file and no image is embedded, so the SVG looks the same
 * under the strictest Content-Security-Policy. Pure.
 */
import { type Raster, rgbOf } from "./colors.ts";
import { type Layout, type Matrix, type Run, runsOf } from "./matrix.ts";

/** If there are more colors (photographs), each channel is reduced to four bits. */
const EXACT_COLORS_MAX = 256;

/** Position of a logo in the image, in pixels. */
export interface LogoBox {
  left: number;
  top: number;
  width: number;
}

export function qrSvg(
  matrix: Matrix,
  { size, scale, offset }: Layout,
  { fg, bg }: { fg: string; bg: string },
  logo: { raster: Raster; box: LogoBox } | null = null,
): string {
  const rows = Array.from({ length: matrix.side }, (_, row) => strokes(row, runsOf(matrix, row)));
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">`,
    `<path fill="${bg}" d="M0 0h${size}v${size}H0z"/>`,
    `<path stroke="${fg}" transform="translate(${offset} ${offset})scale(${scale})" d="${rows.join("")}"/>`,
    ...(logo ? [logoPaths(logo.raster, logo.box, bg)] : []),
    "</svg>\n",
  ];
  return parts.join("");
}

function logoPaths(raster: Raster, { left, top, width }: LogoBox, bg: string): string {
  const paths = [...runsByColor(raster, bg)].map(([color, rows]) => {
    const d = rows.map(({ row, runs }) => strokes(row, runs)).join("");
    return `<path stroke="#${color.toString(16).padStart(6, "0")}" d="${d}"/>`;
  });
  return `<g transform="translate(${left} ${top})scale(${width / raster.width})">${paths.join("")}</g>`;
}

type ColorRows = { row: number; runs: Run[] }[];

function runsByColor(raster: Raster, bg: string): Map<number, ColorRows> {
  const colors = colorsOf(raster);
  const [red, green, blue] = rgbOf(bg);
  const background = (red << 16) | (green << 8) | blue;
  const found = new Map<number, ColorRows>();
  for (let row = 0; row < raster.height; row++) {
    for (let start = 0, end = 0; start < raster.width; start = end) {
      const color = colors[row * raster.width + start] ?? background;
      while (end < raster.width && colors[row * raster.width + end] === color) end++;
      if (color !== background) addRun(found, color, row, { start, end });
    }
  }
  return found;
}

function addRun(found: Map<number, ColorRows>, color: number, row: number, run: Run): void {
  const rows = found.get(color) ?? [];
  found.set(color, rows);
  const last = rows.at(-1);
  if (last?.row === row) last.runs.push(run);
  else rows.push({ row, runs: [run] });
}

function colorsOf({ rgb }: Raster): Uint32Array {
  const exact = new Uint32Array(rgb.length / 3);
  for (let i = 0; i < exact.length; i++) {
    exact[i] = ((rgb[i * 3] ?? 0) << 16) | ((rgb[i * 3 + 1] ?? 0) << 8) | (rgb[i * 3 + 2] ?? 0);
  }
  if (new Set(exact).size <= EXACT_COLORS_MAX) return exact;
  return exact.map((color) => (color & 0xf0f0f0) | ((color & 0xf0f0f0) >> 4));
}

/** Path data of a row: strokes of width 1 along its middle, with relative moves. */
function strokes(row: number, runs: readonly Run[]): string {
  let at = 0;
  return runs
    .map(({ start, end }, i) => {
      const move = i === 0 ? `M${start} ${row}.5` : `m${start - at} 0`;
      at = end;
      return `${move}h${end - start}`;
    })
    .join("");
}
