/**
 * Attributes of an SVG's elements. Those that are drawn reach the renderer, those that change nothing are left out, and
 * every other is refused: a part of the drawing would be missing, and nobody would know why. Pure.
 */
import type { Fault } from "./logo.ts";
import type { Paint } from "./logo-cost.ts";

/** By name, as the renderer gets them. */
export type Attributes = Map<string, string>;

const STYLE_ATTRIBUTES = wordSet(
  "fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit opacity color stop-color stop-opacity clip-path clip-rule display visibility paint-order shape-rendering",
);
const GEOMETRY_ATTRIBUTES = wordSet(
  "d points x y width height x1 y1 x2 y2 cx cy r rx ry fx fy fr offset id transform gradientTransform gradientUnits spreadMethod clipPathUnits viewBox preserveAspectRatio",
);
const DRAWN_ATTRIBUTES: ReadonlySet<string> = new Set([...GEOMETRY_ATTRIBUTES, ...STYLE_ATTRIBUTES]);

/** What drawing programs write that has no effect on shapes: it is about text, style sheets, filters or people. */
const IGNORED_ATTRIBUTES = wordSet(
  "xmlns class version baseProfile role focusable tabindex lang enable-background vector-effect overflow color-interpolation color-rendering color-profile image-rendering solid-color solid-opacity stroke-dashoffset direction unicode-bidi dominant-baseline baseline-shift writing-mode white-space word-spacing letter-spacing line-height",
);
const IGNORED_ATTRIBUTE_PATTERN = /^(?:data|aria|font|text|inline|shape)-|^-|^font$|:/;
/** Values that switch off what would be refused. */
const NEUTRAL_VALUES = wordSet("none normal auto inherit initial unset visible 0");

const REFERRING_ATTRIBUTES = wordSet("fill stroke clip-path");
/** Of all values but those of shapes, which may be as long as the file. */
const VALUE_MAX_CHARS = 1_000;
const OUTSIDE_REFERENCE_FAULT = "must not refer to anything outside itself";

/** What is drawn of an element's attributes. Declarations of its `style` come out as attributes, and win over them. */
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

/** Declarations without the white space and marks of importance around them. */
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

/** The id that a `url(#id)` names; null when the value is none. */
export function referredId(value: string): string | null {
  return /^url\(\s*["']?\s*#([^\s"'()]+)["']?\s*\)/i.exec(value)?.[1] ?? null;
}

/** How a fill or stroke is painted by its attribute alone; null when it says nothing. */
export function paintOf(value: string | undefined): Paint | null {
  if (value === undefined || value === "inherit") return null;
  if (value === "none") return "none";
  if (referredId(value) !== null) return "gradient";
  return isTranslucent(value) ? "transparent" : "opaque";
}

/** Colours with a fourth part, and for simplicity's sake all that are written as functions. */
export function isTranslucent(color: string): boolean {
  return color.includes("(") || /^#(?:.{4}|.{8})$/.test(color);
}

/** As it stands in a start tag. */
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
