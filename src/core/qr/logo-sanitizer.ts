/**
 * Sanitizer: re-serializes an SVG from an allow-list of elements and attributes, so that the renderer never sees
 * scripts, external references, entities, `use`, patterns or nested clip paths. A strict parser with linear run time
 * reads the text once; the drawing cost is counted in the same pass. Pure.
 */
import { parseXml, XmlElement } from "@rgrove/parse-xml";

import {
  type Attributes,
  type Fault,
  isTranslucent,
  paintOf,
  referredId,
  sanitizeAttributes,
  serializeAttributes,
} from "./logo-attributes.ts";
import { edgesOf, extentOf, lengthOf, reachOf, scaleOf, type Size, svgSize } from "./logo-geometry.ts";
import { DrawingCost, LOGO_SIDE_MAX_PX, type Paint } from "./logo-cost.ts";

/** The parts of the safe SVG: `<svg` with a size chosen by the caller, `root`, `>`, `content` and `</svg>`. */
export interface SanitizedSvg extends Size {
  root: string;
  content: string;
  /** The largest side, in pixels, at which drawing stays within the CPU and memory budgets. */
  maxSidePx: number;
}

const MAX_ELEMENTS = 2_000;
const MAX_DEPTH = 32;
/** Maximum nesting of layers: the renderer holds a picture in memory for each. */
const MAX_LAYERS = 6;
/** Maximum extent of a shape, or width of a stroke: hundreds of times the picture. */
const MAX_REACH_PX = 100_000;

const MITER_MAX = 10;
/** How far a join can extend from the line, in stroke widths. */
const LINE_REACH = MITER_MAX / 2;

const SHAPES: ReadonlySet<string> = new Set(["path", "rect", "circle", "ellipse", "line", "polyline", "polygon"]);
const GRADIENTS: ReadonlySet<string> = new Set(["linearGradient", "radialGradient"]);
const STRUCTURE_ELEMENTS = ["g", "defs", "title", "desc", "clipPath", "stop"];
const ELEMENTS: ReadonlySet<string> = new Set([...STRUCTURE_ELEMENTS, ...GRADIENTS, ...SHAPES]);

/** @returns the sanitized drawing, or why it cannot be a logo, worded to follow "logo" */
export function sanitizeSvg(text: string): SanitizedSvg | Fault {
  const fault = faultOfText(text);
  if (fault) return { fault };
  try {
    const { root } = parseXml(text);
    return root?.name === "svg" ? new SvgSanitizer().read(root) : { fault: "is not an SVG image" };
  } catch (error) {
    if (error instanceof SvgRefusal) return { fault: error.message };
    // The parser is recursive, so very deep nesting exhausts the stack.
    return { fault: error instanceof RangeError ? "is too complex" : "cannot be drawn: the image is damaged or empty" };
  }
}

/** Refuses constructs that no logo needs, before the parser sees them. */
function faultOfText(text: string): string | null {
  if (/<!DOCTYPE|<!ENTITY|<!\[CDATA\[/.test(text)) return "must not have a DOCTYPE, entities or CDATA";
  const declaration = /^\s*<\?xml\s/.exec(text)?.[0].length ?? 0;
  if (text.includes("<?", declaration)) return "must not have processing instructions";
  if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(text)) {
    return "must have no references except &amp; &lt; &gt; &quot; and &apos;";
  }
  return /<svg[\s/>]/.test(text) ? null : "is not an SVG image";
}

class SvgRefusal extends Error {}

/** State that an element inherits from its ancestors. */
interface InheritedState {
  depth: number;
  layers: number;
  /** Upper bound of the pixels per unit. */
  scale: number;
  strokeWidth: number;
  /** Whether neither the element nor an ancestor has a transform. */
  isInPlace: boolean;
  fill: Paint;
  stroke: Paint;
  /** Whether a partial opacity or a translucent `color` is inherited. */
  translucent: boolean;
  /** The cost of the whole drawing, or of the enclosing clip path. */
  work: DrawingCost;
  isClip: boolean;
}

class SvgSanitizer {
  #elements = 0;
  #stops = 0;
  /** Units of one percent. */
  #percent = 1;
  /** The picture's range of coordinates. A layer whose shapes leave this range is larger. */
  #from = 0;
  #to = 0;
  readonly #work = new DrawingCost();
  readonly #clipPaths = new Map<string, DrawingCost>();

  read(root: XmlElement): SanitizedSvg | Fault {
    const attributes = drawnAttributes(root);
    const size = svgSize(attributes);
    if ("fault" in size) return size;
    for (const name of ["width", "height", "x", "y", "viewBox"]) attributes.delete(name);
    attributes.set("viewBox", size.viewBox);
    const scale = LOGO_SIDE_MAX_PX / Math.min(size.box.width, size.box.height);
    const { left, top, width, height } = size.box;
    [this.#from, this.#to] = [Math.min(left, top), Math.max(left + width, top + height)];
    this.#percent = Math.max(size.box.width, size.box.height) / 100;
    const start = {
      depth: 0,
      layers: 0,
      scale,
      strokeWidth: 1,
      isInPlace: true,
      translucent: false,
      work: this.#work,
      isClip: false,
    } as const;
    const around = this.#within(root.name, attributes, { ...start, fill: "opaque", stroke: "none" });
    const content = this.#contentOf(root, around);
    const side = this.#work.maxSidePx(this.#clipPaths, this.#stops);
    return side === null
      ? { fault: "is too complex" }
      : { ...size, root: serializeAttributes(attributes), content, maxSidePx: side };
  }

  /** Serializes an element, or throws when it is not allowed. */
  #element(element: XmlElement, around: InheritedState): string {
    const { name } = element;
    if (!ELEMENTS.has(name)) throw new SvgRefusal(`${ALLOWED_ELEMENTS_FAULT}, not <${name.slice(0, 30)}>`);
    if (++this.#elements > MAX_ELEMENTS || around.depth > MAX_DEPTH) throw new SvgRefusal("is too complex");
    const attributes = drawnAttributes(element);
    if (!GRADIENTS.has(name)) attributes.delete("href");
    const within = this.#within(name, attributes, around);
    if (SHAPES.has(name)) this.#count(name, attributes, within);
    const content = this.#contentOf(element, within);
    if (name === "title" || name === "desc") return "";
    return `<${name}${serializeAttributes(attributes)}>${SHAPES.has(name) ? "" : content}</${name}>`;
  }

  #count(shape: string, attributes: Attributes, { scale, strokeWidth, layers, work, ...around }: InheritedState): void {
    const [fill, stroke] = paintsOf(around);
    const line = stroke === "none" ? 0 : strokeWidth;
    if (Math.max(reachOf(attributes, this.#percent), line) * scale > MAX_REACH_PX)
      throw new SvgRefusal("is too complex");
    const [from, to] = extentOf(shape, attributes);
    const isInside = around.isInPlace && from - LINE_REACH * line >= this.#from && to + LINE_REACH * line <= this.#to;
    work.addShape({ edges: edgesOf(shape, attributes), fill, stroke, layers, isInside });
  }

  #contentOf(element: XmlElement, around: InheritedState): string {
    const children = element.children.filter((child) => child instanceof XmlElement);
    if (GRADIENTS.has(element.name)) this.#stops = Math.max(this.#stops, children.length);
    return children.map((child) => this.#element(child, around)).join("");
  }

  /** The state for an element's children. Counts the layers and clips that the element causes. */
  #within(name: string, attributes: Attributes, around: InheritedState): InheritedState {
    const isClip = around.isClip || name === "clipPath";
    const clip = referredId(attributes.get("clip-path") ?? "");
    if (clip !== null && isClip) throw new SvgRefusal("must not nest clip paths");
    const work = name === "clipPath" ? this.#clipPath(attributes.get("id") ?? "") : around.work;
    const isGroup = Number(attributes.get("opacity") ?? 1) !== 1;
    if (clip !== null) work.addClip(clip);
    if (isGroup) work.addLayer();
    const layers = around.layers + Number(isGroup) + Number(clip !== null);
    if (layers > MAX_LAYERS) throw new SvgRefusal("is too complex");
    const scale = around.scale * scaleOf(attributes.get("transform") ?? "");
    const isInPlace = around.isInPlace && !attributes.has("transform");
    if (!(Number(attributes.get("stroke-miterlimit") ?? 0) <= MITER_MAX)) throw new SvgRefusal("is too complex");
    const width = attributes.get("stroke-width");
    const strokeWidth = width === undefined ? around.strokeWidth : lengthOf(width, this.#percent);
    const fill = paintOf(attributes.get("fill")) ?? around.fill;
    const stroke = paintOf(attributes.get("stroke")) ?? around.stroke;
    const translucent = around.translucent || makesTranslucent(attributes);
    return { depth: around.depth + 1, layers, scale, strokeWidth, isInPlace, fill, stroke, translucent, work, isClip };
  }

  /** Clip paths with the same id share one cost, because renderers differ in which of them they use. */
  #clipPath(id: string): DrawingCost {
    const work = this.#clipPaths.get(id) ?? new DrawingCost();
    this.#clipPaths.set(id, work);
    return work;
  }
}

const ALLOWED_ELEMENTS_FAULT = "may contain only shapes, groups, gradients and clip paths";

function drawnAttributes(element: XmlElement): Attributes {
  const attributes = sanitizeAttributes(element.attributes);
  if ("fault" in attributes) throw new SvgRefusal(attributes.fault);
  return attributes;
}

function makesTranslucent(attributes: Attributes): boolean {
  return (
    attributes.has("fill-opacity") || attributes.has("stroke-opacity") || isTranslucent(attributes.get("color") ?? "")
  );
}

function paintsOf({
  fill,
  stroke,
  translucent,
}: Pick<InheritedState, "fill" | "stroke" | "translucent">): [fill: Paint, stroke: Paint] {
  const seen = (paint: Paint) => (paint === "opaque" && translucent ? "transparent" : paint);
  return [seen(fill), seen(stroke)];
}
