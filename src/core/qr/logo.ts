/**
 * What may be a logo: a small PNG or JPEG, or an SVG of plain shapes. Pure.
 * An SVG is a program for the renderer, so it is held to a list of what is known to be harmless: nothing that runs,
 * loads, repeats itself (entities, `use`, patterns, nested clips) or works without bound (filters, dashes). All of it
 * is told to the sender, so that nobody wonders why a part is missing.
 */
export const LOGO_MAX_BYTES = 64 * 1024;
/** Of a PNG or JPEG: decoded it takes four bytes a pixel. */
export const LOGO_MAX_PX = 1_024;
/** Of an SVG: only its proportions matter. */
export const LOGO_SVG_MAX_PX = 10_000;
const SVG_MAX_ELEMENTS = 5_000;
const SVG_MAX_DEPTH = 50;

export type Logo =
  | { type: "image/png" | "image/jpeg"; bytes: Uint8Array; width: number; height: number }
  | { type: "image/svg+xml"; bytes: Uint8Array };

interface Fault {
  fault: string;
}

/** What a data URI holds, or why it cannot be a logo, in words that follow "logo". */
export function parseLogo(uri: string): Logo | Fault {
  const [, type, parameters = "", data = ""] =
    /^data:(image\/(?:png|jpeg|svg\+xml))((?:;[^;,]*)*),(.*)$/is.exec(uri) ?? [];
  if (!type) return { fault: "must be a data URI of type image/png, image/jpeg or image/svg+xml" };
  const bytes = decoded(data, /;base64$/i.test(parameters));
  if (!bytes) return { fault: "must be a well-formed data URI" };
  if (bytes.length > LOGO_MAX_BYTES) return { fault: `must have at most ${LOGO_MAX_BYTES} bytes` };
  if (/svg/i.test(type)) return svgLogo(bytes);
  return /png/i.test(type)
    ? pixelLogo("image/png", bytes, pngSize(bytes))
    : pixelLogo("image/jpeg", bytes, jpegSize(bytes));
}

function svgLogo(bytes: Uint8Array): Logo | Fault {
  const fault = svgFault(bytes);
  return fault === null ? { type: "image/svg+xml", bytes } : { fault };
}

function decoded(data: string, isBase64: boolean): Uint8Array | null {
  try {
    if (!isBase64) return new TextEncoder().encode(decodeURIComponent(data));
    return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

interface Size {
  width: number;
  height: number;
}

function pixelLogo(type: "image/png" | "image/jpeg", bytes: Uint8Array, size: Size | null): Logo | Fault {
  if (!size) return { fault: `is not an image of type ${type}` };
  const { width, height } = size;
  const fits = width >= 1 && height >= 1 && width <= LOGO_MAX_PX && height <= LOGO_MAX_PX;
  if (fits) return { type, bytes, width, height };
  return { fault: `must be at most ${LOGO_MAX_PX} pixels wide and high, is ${width} by ${height}` };
}

function pngSize(bytes: Uint8Array): Size | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPng = bytes.length > 33 && view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a;
  if (!isPng || view.getUint32(12) !== 0x49484452) return null;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Walks the segments to the frame header (SOF0 to SOF15, without the four that are something else). */
function jpegSize(bytes: Uint8Array): Size | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 4 || view.getUint16(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length && view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}

const SVG_ELEMENTS: ReadonlySet<string> = new Set(
  "svg g defs title desc clipPath linearGradient radialGradient stop path rect circle ellipse line polyline polygon".split(
    " ",
  ),
);

function svgFault(bytes: Uint8Array): string | null {
  const text = utf8(bytes);
  if (text === null) return "must be an SVG in UTF-8";
  const svg = text.replace(/^\uFEFF?\s*<\?xml\s[^<>]*\?>/, "").replaceAll(/<!--[^]*?-->/g, "");
  if (/<!/.test(svg)) return "must not have a DOCTYPE, entities or CDATA";
  if (/<\?/.test(svg)) return "must not have processing instructions";
  if (!/^\s*<svg[\s>]/.test(svg)) return "is not an SVG image";
  return elementsFault(svg);
}

function elementsFault(svg: string): string | null {
  const open: string[] = [];
  let elements = 0;
  for (const [, closing, name = "", attributes = "", empty] of svg.matchAll(
    /<(\/?)([^\s/<>]+)((?:"[^"<]*"|'[^'<]*'|[^"'<>/])*)(\/?)>/g,
  )) {
    if (closing) open.pop();
    else {
      const fault = elementFault(name, attributes, open);
      if (fault) return fault;
      if (!empty) open.push(name);
      if (++elements > SVG_MAX_ELEMENTS || open.length > SVG_MAX_DEPTH) return "is too complex";
    }
  }
  return null;
}

function elementFault(name: string, attributes: string, open: readonly string[]): string | null {
  if (!SVG_ELEMENTS.has(name)) {
    return `may hold only shapes, groups, gradients and clip paths, not <${name.slice(0, 30)}>`;
  }
  for (const [, key = "", quoted = ""] of attributes.matchAll(/([^\s=]+)\s*=\s*("[^"]*"|'[^']*')/g)) {
    const fault = attributeFault(key.replace(/^.*:/, "").toLowerCase(), quoted.slice(1, -1), open);
    if (fault) return fault;
  }
  return open.length === 0 ? sizeFault(attributes) : null;
}

function attributeFault(name: string, value: string, open: readonly string[]): string | null {
  if (name.startsWith("on")) return "must not have event handlers";
  if (name === "href" && !value.trim().startsWith("#")) return "must not refer to anything outside itself";
  const targets = [...value.matchAll(/url\(\s*["']?\s*(.?)/gi)];
  if (targets.some(([, first]) => first !== "#")) return "must not refer to anything outside itself";
  const says = (property: string) => name === property || (name === "style" && value.includes(property));
  if (says("clip-path") && open.includes("clipPath")) return "must not nest clip paths";
  if (says("stroke-dasharray")) return "must not have dashed lines";
  return null;
}

/** Plain numbers and pixels; the renderer judges other units. */
function sizeFault(attributes: string): string | null {
  const sizes = [...attributes.matchAll(/\b(?:width|height)\s*=\s*["']\s*([\d.e+]+)/gi)].map(([, size]) =>
    Number(size),
  );
  return sizes.every((size) => size <= LOGO_SVG_MAX_PX) ? null : svgSizeFault();
}

export function svgSizeFault(): string {
  return `must be at most ${LOGO_SVG_MAX_PX} pixels wide and high`;
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return null;
  }
}
