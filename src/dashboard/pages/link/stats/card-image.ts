/** Exports a card as PNG, as shown on the page: its elements with their computed styles, drawn on a canvas. No upload. */
const STYLE_NAMES = `box-sizing display position top right bottom left z-index width height min-width margin padding
  border-top border-right border-bottom border-left border-radius border-collapse border-spacing flex flex-direction flex-wrap align-items
  justify-content gap table-layout vertical-align overflow clip-path clip opacity visibility transform background color
  list-style font-family font-size font-weight font-variant-numeric line-height text-align white-space text-overflow
  text-transform overflow-wrap -webkit-line-clamp -webkit-box-orient
  fill fill-opacity stroke stroke-width stroke-dasharray stroke-opacity text-anchor`.split(/\s+/);

/** For high-density screens. */
const SCALE = 2;
/** Browsers limit the size of a canvas, and a list may be expanded. */
const MAX_PX = 8_000;

export async function cardImage(card: HTMLElement): Promise<Blob> {
  const { width, height } = card.getBoundingClientRect();
  const copy = styledCopy(card);
  copy.setAttribute("style", `${copy.getAttribute("style") ?? ""};margin:0`);
  await Promise.all([...copy.querySelectorAll("img")].map(embed));
  const markup = new XMLSerializer().serializeToString(copy);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${markup}</foreignObject></svg>`,
  )}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const scale = Math.min(SCALE, MAX_PX / Math.max(width, height));
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("The browser does not support canvas");
  context.scale(scale, scale);
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("The image could not be created"))), "image/png"),
  );
}

/** An image cannot use the page's style sheets, so each element carries its computed styles. Controls are left out. */
function styledCopy(original: Element): Element {
  const copy = original.cloneNode(false) as Element;
  const computed = getComputedStyle(original);
  copy.setAttribute("style", STYLE_NAMES.map((name) => `${name}:${computed.getPropertyValue(name)}`).join(";"));
  for (const child of original.childNodes) {
    if (!(child instanceof Element)) copy.appendChild(child.cloneNode());
    else if (!child.hasAttribute("data-not-in-image")) copy.appendChild(styledCopy(child));
  }
  return copy;
}

/** An image loads nothing else, so pictures in it become part of its text. One that cannot be read is left out. */
async function embed(picture: HTMLImageElement): Promise<void> {
  try {
    const blob = await (await fetch(picture.src)).blob();
    picture.src = await new Promise<string>((done, fail) => {
      const reader = new FileReader();
      reader.addEventListener("load", () => done(String(reader.result)));
      reader.addEventListener("error", () => fail(new Error("The picture cannot be read")));
      reader.readAsDataURL(blob);
    });
    picture.loading = "eager";
  } catch {
    picture.remove();
  }
}
