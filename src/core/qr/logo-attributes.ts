/**
 * Allow-list of the attributes of an SVG's elements. Attributes that are drawn reach the renderer; attributes without
 * effect are dropped. Any other attribute is refused with a message, because dropping it would silently change the
 * drawing. Pure.
 */
import type { Paint } from "./logo-cost.ts";

export interface Fault {
  fault: string;
}

/** Values by name, as passed to the renderer. */
export type Attributes = Map<string, string>;

const STYLE_ATTRIBUTES = wordSet(
  "fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit opacity color stop-color stop-opacity clip-path clip-rule display visibility paint-order shape-rendering",
);
const GEOMETRY_ATTRIBUTES = wordSet(
  "d points x y width height x1 y1 x2 y2 cx cy r rx ry fx fy fr offset id transform gradientTransform gradientUnits spreadMethod clipPathUnits viewBox preserveAspectRatio",
);
const DRAWN_ATTRIBUTES: ReadonlySet<string> = new Set([...GEOMETRY_ATTRIBUTES, ...STYLE_ATTRIBUTES]);

/**
 * Attributes that drawing programs write and that do not affect shapes: they concern text, style sheets, filters or
 * accessibility.
 */
const IGNORED_ATTRIBUTES = wordSet(
  "xmlns class version baseProfile role focusable tabindex lang enable-background vector-effect overflow color-interpolation color-rendering color-profile image-rendering solid-color solid-opacity stroke-dashoffset direction unicode-bidi dominant-baseline baseline-shift writing-mode white-space word-spacing letter-spacing line-height",
);
const IGNORED_ATTRIBUTE_PATTERN = /^(?:data|aria|font|text|inline|shape)-|^-|^font$|:/;
/** Values that disable an attribute which would otherwise be refused. */
const NEUTRAL_VALUES = wordSet("none normal auto inherit initial unset visible 0");

const REFERRING_ATTRIBUTES = wordSet("fill stroke clip-path");
/** Limit of every value except path data and point lists, which may be as long as the file. */
const VALUE_MAX_CHARS = 1_000;
const OUTSIDE_REFERENCE_FAULT = "must not refer to external resources";

/**
 * Returns the attributes that are drawn, or why one is refused. As in CSS, declarations in `style` override attributes.
 */
export function sanitizeAttributes(sent: Readonly<Record<string, string>>): Attributes | Fault {
  const drawn: Attributes = new Map();
  const all = Object.entries(sent).map(([name, value]) => ({ name, value: value.trim(), drawable: DRAWN_ATTRIBUTES }));
  for (const { name, value, drawable } of [...all, ...declarations(sent["style"] ?? "")]) {
    if (name === "style") continue;
    const fault = faultOf(name, value, drawable);
    if (fault) return { fault };
    if (drawable.has(name)) drawn.set(name, value);
    else if (isReference(name)) drawn.set("href", value);
  }
  return drawn;
}

/** Splits a `style` into declarations, without white space and `!important`. */
function declarations(style: string) {
  return style.split(";").flatMap((declaration) => {
    const colon = declaration.indexOf(":");
    const name = declaration.slice(0, Math.max(0, colon)).trim();
    const value = declaration
      .slice(colon + 1)
      .replace("!important", "")
      .trim();
    return name === "" ? [] : [{ name, value, drawable: STYLE_ATTRIBUTES }];
  });
}

function faultOf(name: string, value: string, drawable: ReadonlySet<string>): string | null {
  if (/^on/i.test(name)) return "must not have event handlers";
  if (isReference(name)) return value.startsWith("#") ? null : OUTSIDE_REFERENCE_FAULT;
  if (drawable.has(name)) return valueFault(name, value);
  if (IGNORED_ATTRIBUTES.has(name) || IGNORED_ATTRIBUTE_PATTERN.test(name) || NEUTRAL_VALUES.has(value)) return null;
  return name === "stroke-dasharray"
    ? "must not have dashed lines"
    : `must not have the attribute ${name.slice(0, 30)}`;
}

function valueFault(name: string, value: string): string | null {
  if (name === "d" || name === "points") return null;
  if (value.length > VALUE_MAX_CHARS) return "is too complex";
  const refers = /url\(/i.test(value);
  return refers && !(REFERRING_ATTRIBUTES.has(name) && referredId(value) !== null) ? OUTSIDE_REFERENCE_FAULT : null;
}

function isReference(name: string): boolean {
  return name === "href" || name.endsWith(":href");
}

/** @returns the id in `url(#id)`; null for any other value */
export function referredId(value: string): string | null {
  return /^url\(\s*["']?\s*#([^\s"'()]+)["']?\s*\)/i.exec(value)?.[1] ?? null;
}

/** The kind of paint of a `fill` or `stroke` attribute; null when it is inherited. */
export function paintOf(value: string | undefined): Paint | null {
  if (value === undefined || value === "inherit") return null;
  if (value === "none") return "none";
  if (referredId(value) !== null) return "gradient";
  return isTranslucent(value) ? "transparent" : "opaque";
}

/**
 * Whether a color may have an alpha channel. All colors in function notation count, which is the safe side for the
 * drawing cost.
 */
export function isTranslucent(color: string): boolean {
  return color.includes("(") || /^#(?:.{4}|.{8})$/.test(color);
}

/** The attributes as text for a start tag, escaped. */
export function serializeAttributes(attributes: Attributes): string {
  return Array.from(attributes, ([name, value]) => ` ${name}="${escaped(value)}"`).join("");
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(value: string): string {
  return value.replaceAll(/[&<>"]/g, (char) => ESCAPES[char] ?? char);
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
