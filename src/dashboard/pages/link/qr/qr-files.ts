/**
 * Files of QR codes, written in the browser: SVG, EPS and PDF from the same outlines, so that print shops receive
 * vectors. Pure, except for the compression.
 */
import { hexOf, joinedBytes, utf8 } from "../../../../core/encoding/bytes.ts";
import { type Raster, rgbOf } from "../../../../core/qr/colors.ts";
import type { QrDrawing } from "./qr-drawing.ts";

/** A drawing with its colors. */
export interface QrPicture extends QrDrawing {
  fg: string;
  bg: string;
}

/** Points per pixel of a code: 300 pixels per inch, as printers expect. */
export const POINTS_PER_PX = 72 / 300;

/** @param logo  data URI */
export function svgFile({ size, scale, offset, path, logoBox, fg, bg }: QrPicture, logo: string | null): string {
  const box = logoBox && `x="${logoBox.at}" y="${logoBox.at}" width="${logoBox.side}" height="${logoBox.side}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}">`,
    `<path fill="${bg}" d="M0 0h${size}v${size}H0z"/>`,
    `<g transform="translate(${offset} ${offset})scale(${scale})"><path fill="${fg}" fill-rule="evenodd" d="${path}"/>`,
    ...(box && logo !== null
      ? [`<image ${box} href="${logo.replace(/[&"<]/g, (char) => `&#${char.charCodeAt(0)};`)}"/>`]
      : []),
    "</g></svg>\n",
  ].join("");
}

/** Position on a page in points, from its bottom left corner. */
interface Place {
  left: number;
  bottom: number;
  side: number;
}

const OPERATORS: Readonly<Record<string, string>> = { M: "m", L: "l", C: "c", Z: "h" };

/**
 * Operators of PDF that draw a code. Pages in PostScript define the same operators.
 * @param drawLogo  draws an image on the unit square; null without a logo
 */
function codeOperators(picture: QrPicture, { left, bottom, side }: Place, drawLogo: string | null): string {
  const { size, scale, offset, path, logoBox, fg, bg } = picture;
  const perPx = side / size;
  const operators = path.replace(/([MLCZ])([^MLCZ]*)/g, (_, command: string, numbers: string) =>
    `${numbers} ${OPERATORS[command]}\n`.trimStart(),
  );
  return [
    `q ${perPx} 0 0 ${-perPx} ${left} ${bottom + side} cm`,
    `${colorOf(bg)} rg 0 0 ${size} ${size} re f`,
    `${scale} 0 0 ${scale} ${offset} ${offset} cm ${colorOf(fg)} rg`,
    `${operators}f*`,
    ...(logoBox && drawLogo !== null
      ? [`${logoBox.side} 0 0 ${-logoBox.side} ${logoBox.at} ${logoBox.at + logoBox.side} cm ${drawLogo}`]
      : []),
    "Q\n",
  ].join("\n");
}

function colorOf(hex: string): string {
  return rgbOf(hex)
    .map((channel) => (channel / 255).toFixed(4))
    .join(" ");
}

/** Abbreviations that give PostScript the operators of PDF. */
const EPS_PROLOG = `/q{gsave}def/Q{grestore}def/cm{6 array astore concat}def/rg{setrgbcolor}def/m{moveto}def/l{lineto}def
/c{curveto}def/h{closepath}def/re{4 2 roll moveto 1 index 0 rlineto 0 exch rlineto neg 0 rlineto closepath}def
/f{fill}def/f*{eofill}def`;

const HEX_LINE_CHARS = 120;

export async function epsFile(picture: QrPicture, logo: Raster | null): Promise<string> {
  const side = picture.size * POINTS_PER_PX;
  const image = logo && (await epsImage(logo));
  return `%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 ${Math.ceil(side)} ${Math.ceil(side)}
%%HiResBoundingBox: 0 0 ${side} ${side}
%%LanguageLevel: 3
%%EndComments
${EPS_PROLOG}
${codeOperators(picture, { left: 0, bottom: 0, side }, image)}%%EOF
`;
}

async function epsImage({ width, height, rgb }: Raster): Promise<string> {
  const hex = hexOf(await deflated(rgb));
  return `/DeviceRGB setcolorspace <</ImageType 1/Width ${width}/Height ${height}/BitsPerComponent 8
/Decode[0 1 0 1 0 1]/ImageMatrix[${width} 0 0 ${-height} 0 ${height}]
/DataSource currentfile/ASCIIHexDecode filter/FlateDecode filter>>image
${hex.replace(new RegExp(`.{${HEX_LINE_CHARS}}`, "g"), "$&\n")}>`;
}

interface PdfPage {
  /** Points. */
  width: number;
  height: number;
  operators: string;
}

/** The operator that draws the image at this index of a file's images on the unit square. */
function drawImage(index: number): string {
  return `/I${index} Do`;
}

/** A code without anything around it. */
export function pdfOfCode(picture: QrPicture, logo: Raster | null): Promise<Blob> {
  const side = picture.size * POINTS_PER_PX;
  const operators = codeOperators(picture, { left: 0, bottom: 0, side }, logo && drawImage(0));
  return pdfFile([{ width: side, height: side, operators }], logo ? [logo] : []);
}

async function pdfFile(pages: readonly PdfPage[], images: readonly Raster[]): Promise<Blob> {
  const [firstImage, firstPage] = [4, 4 + images.length];
  const objects: Uint8Array[] = [
    utf8("<</Type/Catalog/Pages 2 0 R>>"),
    utf8(`<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, i) => `${firstPage + 2 * i} 0 R`).join(" ")}]>>`),
    utf8(`<</XObject<<${images.map((_, i) => `/I${i} ${firstImage + i} 0 R`).join("")}>>>>`),
  ];
  for (const { width, height, rgb } of images) {
    const head = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8`;
    objects.push(await stream(head, rgb));
  }
  for (const { width, height, operators } of pages) {
    const content = `/Resources 3 0 R/Contents ${objects.length + 2} 0 R`;
    objects.push(utf8(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]${content}>>`));
    objects.push(await stream("", utf8(operators)));
  }
  return new Blob([withCrossReferences(objects)], { type: "application/pdf" });
}

function withCrossReferences(objects: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [utf8("%PDF-1.4\n")];
  const offsets: string[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [i, object] of objects.entries()) {
    offsets.push(`${String(length).padStart(10, "0")} 00000 n \n`);
    const added = [utf8(`${i + 1} 0 obj\n`), object, utf8("\nendobj\n")];
    length += added.reduce((sum, part) => sum + part.length, 0);
    parts.push(...added);
  }
  const entries = objects.length + 1;
  const table = `xref\n0 ${entries}\n0000000000 65535 f \n${offsets.join("")}`;
  parts.push(utf8(`${table}trailer\n<</Size ${entries}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`));
  return joinedBytes(parts);
}

async function stream(head: string, bytes: Uint8Array): Promise<Uint8Array> {
  const data = await deflated(bytes);
  const dictionary = `<<${head}/Filter/FlateDecode/Length ${data.length}>>`;
  return joinedBytes([utf8(`${dictionary}\nstream\n`), data, utf8("\nendstream")]);
}

async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const compressed = new Blob([bytes.slice()]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}

/** Points: width and height. */
export const PAPERS = { a4: [595.28, 841.89], letter: [612, 792] } as const;
/** Most printers leave less than half an inch blank. */
const SHEET_MARGIN = 36;
const SHEET_GAP = 18;
export const LABEL_HEIGHT = 26;

/** Side of a sheet's codes in points. */
export function sheetCodeSide(paper: keyof typeof PAPERS, columns: number): number {
  return (PAPERS[paper][0] - 2 * SHEET_MARGIN - (columns - 1) * SHEET_GAP) / columns;
}

/** A code of a sheet, and its label as an image, so that it needs no font. */
export interface SheetCode {
  picture: QrPicture;
  label: Raster;
  logo: Raster | null;
}

export function sheetFile(
  codes: readonly SheetCode[],
  { paper, columns }: { paper: keyof typeof PAPERS; columns: number },
): Promise<Blob> {
  const [width, height] = PAPERS[paper];
  const side = sheetCodeSide(paper, columns);
  const rowHeight = side + LABEL_HEIGHT + SHEET_GAP;
  const rows = Math.max(1, Math.floor((height - 2 * SHEET_MARGIN + SHEET_GAP) / rowHeight));
  const images = [...new Set(codes.flatMap(({ label, logo }) => (logo ? [label, logo] : [label])))];
  const operators = codes.map(({ picture, label, logo }, i) => {
    const left = SHEET_MARGIN + (i % columns) * (side + SHEET_GAP);
    const bottom = height - SHEET_MARGIN - side - (Math.floor(i / columns) % rows) * rowHeight;
    const below = `q ${side} 0 0 ${LABEL_HEIGHT} ${left} ${bottom - LABEL_HEIGHT} cm ${drawImage(images.indexOf(label))} Q\n`;
    return codeOperators(picture, { left, bottom, side }, logo && drawImage(images.indexOf(logo))) + below;
  });
  const pages = Array.from({ length: Math.ceil(codes.length / (rows * columns)) }, (_, page) => ({
    width,
    height,
    operators: operators.slice(page * rows * columns, (page + 1) * rows * columns).join(""),
  }));
  return pdfFile(pages, images);
}
