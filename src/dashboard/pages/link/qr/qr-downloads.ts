/** Draws QR codes, logos and labels on a canvas, and saves codes as files. */
import { compositeOver, type Raster } from "../../../../core/qr/colors.ts";
import { downloadFile } from "../../../files/download.ts";
import { epsFile, LABEL_HEIGHT, pdfOfCode, POINTS_PER_PX, type QrPicture, svgFile } from "./qr-files.ts";

export const DOWNLOAD_FORMATS = ["png", "svg", "pdf", "eps"] as const;
export type DownloadFormat = (typeof DOWNLOAD_FORMATS)[number];

const WHITE = [255, 255, 255] as const;
/** Sharp in print, and at most a megabyte in a file. */
const LOGO_PRINT_PX = 512;

/** @param logo  data URI */
export async function downloadCode(
  name: string,
  format: DownloadFormat,
  picture: QrPicture,
  logo: string | null,
): Promise<void> {
  downloadFile(`${name}.${format}`, await FILES[format](picture, logo));
}

const FILES: Record<DownloadFormat, (picture: QrPicture, logo: string | null) => Blob | Promise<Blob>> = {
  png: pngFile,
  svg: (picture, logo) => new Blob([svgFile(picture, logo)], { type: "image/svg+xml" }),
  pdf: async (picture, logo) => pdfOfCode(picture, await logoRaster(logo, picture.bg)),
  eps: async (picture, logo) =>
    new Blob([await epsFile(picture, await logoRaster(logo, picture.bg))], { type: "application/postscript" }),
};

export async function logoRaster(logo: string | null, bg: string): Promise<Raster | null> {
  return logo === null ? null : rasterOf(await logoCanvas(logo, bg, LOGO_PRINT_PX));
}

async function pngFile({ size, scale, offset, path, logoBox, fg, bg }: QrPicture, logo: string | null): Promise<Blob> {
  const { canvas, context } = newCanvas(size, size, bg);
  context.setTransform(scale, 0, 0, scale, offset, offset);
  context.fillStyle = fg;
  context.fill(new Path2D(path), "evenodd");
  if (logoBox && logo !== null) {
    const { at, side } = logoBox;
    context.drawImage(await logoCanvas(logo, bg, Math.round(side * scale)), at, at, side, side);
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  if (!blob) throw new Error("the canvas is too large");
  return blob;
}

/** A logo in the middle of a square of the background color. */
async function logoCanvas(logo: string, bg: string, side: number): Promise<HTMLCanvasElement> {
  const image = new Image();
  image.src = logo;
  await image.decode();
  const { canvas, context } = newCanvas(side, side, bg);
  const scale = side / Math.max(image.naturalWidth, image.naturalHeight);
  const [width, height] = [image.naturalWidth * scale, image.naturalHeight * scale];
  context.drawImage(image, (side - width) / 2, (side - height) / 2, width, height);
  return canvas;
}

const LABEL_FONT_SHARES = { largest: 0.7, smallest: 0.45 };

/** A line in bold and one below it: centered, in a smaller font if needed, then cut to fit. @param width  points */
export function labelRaster(lines: readonly [bold: string, plain: string], width: number): Raster {
  const { canvas, context } = newCanvas(Math.round(width / POINTS_PER_PX), LABEL_HEIGHT / POINTS_PER_PX, "#FFFFFF");
  const lineHeight = canvas.height / 2;
  const setFont = (i: number, share: number) => {
    context.font = `${i === 0 ? "bold " : ""}${lineHeight * share}px system-ui, sans-serif`;
  };
  const widthOf = (text: string) => context.measureText(text).width;
  context.fillStyle = "#000000";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const [i, line] of lines.entries()) {
    const { largest, smallest } = LABEL_FONT_SHARES;
    setFont(i, largest);
    setFont(i, Math.min(largest, Math.max(smallest, (largest * canvas.width) / widthOf(line))));
    const chars = [...line];
    let shown = line;
    while (chars.length > 1 && widthOf(shown) > canvas.width) {
      chars.pop();
      shown = `${chars.join("")}…`;
    }
    context.fillText(shown, canvas.width / 2, lineHeight * (i + 0.5));
  }
  return rasterOf(canvas);
}

function rasterOf(canvas: HTMLCanvasElement): Raster {
  const { width, height } = canvas;
  const pixels = canvas.getContext("2d")?.getImageData(0, 0, width, height).data ?? [];
  return compositeOver(width, height, Uint8Array.from(pixels), WHITE);
}

function newCanvas(width: number, height: number, bg: string) {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d");
  if (!context) throw new Error("the browser has no canvas");
  context.fillStyle = bg;
  context.fillRect(0, 0, canvas.width, canvas.height);
  return { canvas, context };
}
