/** Exports a chart as PNG, as shown on the page: the SVG with its computed styles, drawn on a canvas. No upload. */
const STYLE_NAMES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
  "visibility",
  "display",
];

/** For high-density screens. */
const SCALE = 2;
const PADDING_PX = 16;

/** @param container  of the chart's SVG */
export async function chartImage(container: HTMLElement): Promise<Blob> {
  const svg = container.querySelector<SVGSVGElement>("svg.recharts-surface");
  if (!svg) throw new Error("The page shows no chart");
  const { width, height } = svg.getBoundingClientRect();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(styledMarkup(svg, width, height))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = (width + 2 * PADDING_PX) * SCALE;
  canvas.height = (height + 2 * PADDING_PX) * SCALE;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("The browser does not support canvas");
  context.scale(SCALE, SCALE);
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, PADDING_PX, PADDING_PX, width, height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("The image could not be created"))), "image/png"),
  );
}

/** An image cannot use the page's style sheets, so each element carries its computed styles. */
function styledMarkup(svg: SVGSVGElement, width: number, height: number): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll<SVGElement>("*")];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  for (const [index, original] of originals.entries()) {
    const computed = getComputedStyle(original);
    const style = STYLE_NAMES.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";");
    copies[index]?.setAttribute("style", style);
  }
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return new XMLSerializer().serializeToString(copy);
}
