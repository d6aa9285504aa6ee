/**
 * QR codes as PNG, written row by row into a deflate stream, so that the largest needs little memory. Equal rows come
 * in bands: each row is stored as its difference to the one above (filter "Up"). All rows of a band but the first are
 * therefore zeros, which compress to almost nothing. Web APIs only; no clock, no randomness.
 */
import { crc32, joinedBytes } from "../encoding/bytes.ts";
import { type Raster, type Rgb, rgbOf } from "./colors.ts";
import { type Layout, type Matrix, runsOf } from "./matrix.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const PALETTE = 3;
const TRUE_COLOR = 2;
const FILTER_UP = 2;
/** Bytes passed to the compressor at a time. */
const PIECE_BYTES = 64 * 1024;

interface Colors {
  fg: string;
  bg: string;
}

/** Consecutive equal rows. */
interface Band {
  row: Uint8Array;
  rows: number;
}

/** Encodes a code without a logo: a palette of two colors, one bit per pixel. */
export async function qrPng(matrix: Matrix, layout: Layout, { fg, bg }: Colors): Promise<Uint8Array> {
  const rowBytes = Math.ceil(layout.size / 8);
  const pixels = await deflated(rowBytes, plainBands(matrix, layout, rowBytes));
  const palette = Uint8Array.from([...rgbOf(bg), ...rgbOf(fg)]);
  const head = header(layout.size, 1, PALETTE);
  return joinedBytes([SIGNATURE, head, chunk("PLTE", palette), chunk("IDAT", pixels), chunk("IEND")]);
}

/** Encodes a code with a logo in the middle, in true color. */
export async function qrPngWithLogo(matrix: Matrix, layout: Layout, colors: Colors, logo: Raster): Promise<Uint8Array> {
  const pixels = await deflated(layout.size * 3, logoBands(matrix, layout, colors, logo));
  return joinedBytes([SIGNATURE, header(layout.size, 8, TRUE_COLOR), chunk("IDAT", pixels), chunk("IEND")]);
}

function* plainBands(matrix: Matrix, layout: Layout, rowBytes: number): Generator<Band> {
  yield* bands(matrix, layout, rowBytes, (row, start, end) => {
    for (let x = start; x < end; x++) row[x >> 3] = (row[x >> 3] ?? 0) | (128 >> (x & 7));
  });
}

function* logoBands(matrix: Matrix, layout: Layout, { fg, bg }: Colors, logo: Raster): Generator<Band> {
  const [foreground, background] = [rgbOf(fg), rgbOf(bg)];
  const blank = filled(layout.size, background);
  const left = Math.floor((layout.size - logo.width) / 2);
  const top = Math.floor((layout.size - logo.height) / 2);
  // Two alternating buffers: the previous row is still needed to compute the difference.
  const lines = [blank.slice(), blank.slice()];
  let y = 0;
  for (const { row, rows } of bands(matrix, layout, blank, (line, start, end) => paint(line, start, end, foreground))) {
    const [from, to] = [Math.min(Math.max(top - y, 0), rows), Math.min(Math.max(top + logo.height - y, 0), rows)];
    if (from > 0) yield { row, rows: from };
    for (let line = y + from - top; line < y + to - top; line++) {
      const composed = lines[line % 2] ?? row.slice();
      composed.set(row);
      composed.set(logo.rgb.subarray(line * logo.width * 3, (line + 1) * logo.width * 3), left * 3);
      yield { row: composed, rows: 1 };
    }
    if (to < rows) yield { row, rows: rows - to };
    y += rows;
  }
}

/**
 * The bands of an image from top to bottom.
 * @param blank  a row without dark modules, or its length
 * @param darken  paints the pixels of a row from `start` to before `end`
 */
function* bands(
  matrix: Matrix,
  { size, scale, offset }: Layout,
  blank: Uint8Array | number,
  darken: (row: Uint8Array, start: number, end: number) => void,
): Generator<Band> {
  const empty = typeof blank === "number" ? new Uint8Array(blank) : blank;
  if (offset > 0) yield { row: empty, rows: offset };
  for (let index = 0; index < matrix.side; index++) {
    const row = empty.slice();
    for (const { start, end } of runsOf(matrix, index)) darken(row, offset + start * scale, offset + end * scale);
    yield { row, rows: scale };
  }
  const below = size - offset - matrix.side * scale;
  if (below > 0) yield { row: empty, rows: below };
}

function filled(pixels: number, color: Rgb): Uint8Array {
  const row = new Uint8Array(pixels * 3);
  paint(row, 0, pixels, color);
  return row;
}

function paint(row: Uint8Array, start: number, end: number, color: Rgb): void {
  for (let x = start; x < end; x++) row.set(color, x * 3);
}

/** Filters and compresses the rows, with the zlib framing that PNG requires. */
async function deflated(rowBytes: number, picture: Iterable<Band>): Promise<Uint8Array> {
  const stream = new CompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const compressed = new Response(stream.readable).arrayBuffer();
  for (const piece of filtered(rowBytes, picture)) await writer.write(piece);
  await writer.close();
  return new Uint8Array(await compressed);
}

/**
 * All rows as chunks of about `PIECE_BYTES`: each row consists of its filter type and its difference to the row above.
 * A yielded chunk is never changed, since the compressor may still read it. Rows that repeat the one above come from
 * one shared buffer; otherwise up to 50 MB of garbage would accumulate for the largest code with a logo.
 */
function* filtered(rowBytes: number, picture: Iterable<Band>): Generator<Uint8Array<ArrayBuffer>> {
  const lineBytes = rowBytes + 1;
  const lines = Math.max(1, Math.floor(PIECE_BYTES / lineBytes));
  const repeated = repeatedRows(lines, lineBytes);
  let piece = new Uint8Array(lines * lineBytes);
  let at = 0;
  let above: Uint8Array = new Uint8Array(rowBytes);
  for (const { row, rows } of picture) {
    for (let i = 0; i < rows;) {
      if (at === piece.length || (at > 0 && i > 0 && rows - i >= lines)) {
        yield piece.subarray(0, at);
        piece = new Uint8Array(lines * lineBytes);
        at = 0;
      }
      if (i > 0 && rows - i >= lines) {
        yield repeated;
        i += lines;
        continue;
      }
      piece[at] = FILTER_UP;
      if (i === 0) for (let x = 0; x < rowBytes; x++) piece[at + 1 + x] = (row[x] ?? 0) - (above[x] ?? 0);
      at += lineBytes;
      i++;
    }
    above = row;
  }
  yield piece.subarray(0, at);
}

/** Filtered rows that equal the row above. */
function repeatedRows(lines: number, lineBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(lines * lineBytes);
  for (let line = 0; line < lines; line++) bytes[line * lineBytes] = FILTER_UP;
  return bytes;
}

function header(size: number, bitDepth: number, colorType: number): Uint8Array {
  const data = new Uint8Array(13);
  const view = new DataView(data.buffer);
  view.setUint32(0, size);
  view.setUint32(4, size);
  data.set([bitDepth, colorType], 8);
  return chunk("IHDR", data);
}

function chunk(type: string, data: Uint8Array = new Uint8Array()): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}
