/**
 * Upper bound of the CPU time and memory for drawing an SVG, counted while it is parsed. It assumes the worst: each
 * shape covers the whole picture, and each of its edges spans the full height and crosses every other edge. It
 * determines the size at which the logo is drawn. Weights were measured with resvg 2.6, in nanoseconds, and rounded up.
 * Pure.
 */

/** How a fill or stroke is painted. */
export type Paint = "none" | "opaque" | "transparent" | "gradient";

const NS_PER_PIXEL: Record<Paint, number> = { none: 0, opaque: 2, transparent: 9, gradient: 40 };
const STOP_NS_PER_PIXEL = 0.4;
const LAYER_NS_PER_PIXEL = 45;
const CLIP_NS_PER_PIXEL = 60;
/** Per edge and pixel of the picture's height. */
const EDGE_NS_PER_PIXEL = 120;
/** Per crossing of two edges of one shape. */
const CROSSING_NS = 5;
/** The renderer draws a stroke as a shape around its line, with joins. */
const EDGES_PER_STROKED_EDGE = 7;

/** A layer whose content reaches beyond the picture gets up to five times the picture's width and height. */
const LAYER_AREA_MAX = 25;

const BUDGET_NS = 100_000_000;
const LAYERS_MAX_BYTES = 24 * 1024 * 1024;
/** More pixels than a logo has on most codes; on larger ones it is scaled up. */
export const LOGO_SIDE_MAX_PX = 512;
const LOGO_SIDE_MIN_PX = 128;
const SIDE_STEP_PX = 16;

/** A shape to draw. */
export interface Shape {
  edges: number;
  fill: Paint;
  stroke: Paint;
  /** Nesting depth of layers around it. */
  layers: number;
  /** Whether it is known to be inside the picture. */
  isInside: boolean;
}

export class DrawingCost {
  #pixelNs = 0;
  #layeredNs = 0;
  #layerDepth = 0;
  #reachesOut = false;
  #edges = 0;
  #crossings = 0;
  #gradients = 0;
  #clips: string[] = [];

  addShape({ edges, fill, stroke, layers, isInside }: Shape): void {
    const ns = this.#paint(fill, edges) + this.#paint(stroke, edges * EDGES_PER_STROKED_EDGE);
    if (layers === 0) this.#pixelNs += ns;
    else this.#layeredNs += ns;
    if (layers > 0 && !isInside) this.#reachesOut = true;
    this.#layerDepth = Math.max(this.#layerDepth, layers);
  }

  #paint(paint: Paint, edges: number): number {
    if (paint === "none") return 0;
    this.#edges += edges;
    this.#crossings += edges ** 2;
    if (paint === "gradient") this.#gradients++;
    return NS_PER_PIXEL[paint];
  }

  /** Adds a group that is drawn into its own layer, which is then composited. */
  addLayer(): void {
    this.#layeredNs += LAYER_NS_PER_PIXEL;
  }

  /** Adds an element that is clipped by the clip path with this id. */
  addClip(id: string): void {
    this.#layeredNs += CLIP_NS_PER_PIXEL;
    this.#clips.push(id);
  }

  /**
   * Evaluates the cost once the whole SVG is known: a clip path is drawn again for each use.
   * @param stops  number of stops of the gradient that has the most
   * @returns the largest side at which drawing stays within the budgets; null if there is none
   */
  maxSidePx(clipPaths: ReadonlyMap<string, DrawingCost>, stops: number): number | null {
    const used = this.#clips.flatMap((id) => clipPaths.get(id) ?? []);
    const sum = (of: (work: DrawingCost) => number) => used.reduce((total, work) => total + of(work), of(this));
    const [edges, crossings] = [sum((work) => work.#edges), sum((work) => work.#crossings)];
    const area = this.#reachesOut ? LAYER_AREA_MAX : 1;
    const stopNs = this.#gradients * stops * STOP_NS_PER_PIXEL;
    const layered = sum((work) => work.#layeredNs + (work === this ? 0 : work.#pixelNs));
    const isLayered = this.#layerDepth > 0;
    const nsPerPixel = this.#pixelNs + layered * area + stopNs * (isLayered ? area : 1);
    const cost = (side: number) => nsPerPixel * side ** 2 + edges * EDGE_NS_PER_PIXEL * side + crossings * CROSSING_NS;
    const bytes = (side: number) => 4 * this.#layerDepth * area * side ** 2;
    for (let side = LOGO_SIDE_MAX_PX; side >= LOGO_SIDE_MIN_PX; side -= SIDE_STEP_PX) {
      if (cost(side) <= BUDGET_NS && bytes(side) <= LAYERS_MAX_BYTES) return side;
    }
    return null;
  }
}
