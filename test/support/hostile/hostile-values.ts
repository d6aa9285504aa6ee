/** Values that break programs which trust their input, at any place of a JSON value. */
import { randomElement, randomInteger } from "../seeded-random.ts";

/** JSON without an equivalent value: numbers beyond a double, `-0`, nesting that would exhaust a stack. */
class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return MARK + this.text;
  }
}

/** A private character, which no other value has. */
const MARK = "\ue000";

/** The JSON of a value in which some parts are JSON already. */
export function hostileJson(value: unknown): string {
  return JSON.stringify(value).replace(/"\ue000(?:[^"\\]|\\.)*"/g, (marked) => String(JSON.parse(marked)).slice(1));
}

/** Names that all objects and functions have, and some that programs look for. */
export const NAMES = [
  "length",
  "then",
  "toJSON",
  "constructor",
  "__proto__",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "message",
  "stack",
  "id",
];

const NUMBERS = [
  "1e400",
  "-1e400",
  "-0",
  "9007199254740992",
  "9007199254740993",
  "1e21",
  "-1e21",
  "1e-400",
  "8640000000000001",
  "2147483648",
  "-1",
  "0.1",
  "0",
];

export const HOSTILE_TEXTS = [
  "",
  " ",
  "\ud800",
  "a\udc00b",
  "\u0000",
  "a\u0000b",
  "\u202e",
  "İ",
  "😀",
  "NaN",
  "-Infinity",
  "0x10",
  "null",
  "undefined",
  "[object Object]",
  "..",
  "%",
  "%zz",
  "%00",
  "%ED%A0%80",
  "a/b",
  'a,b;c="d\\',
  "'\"--;%_\\",
  "https://[::1]:0/\\@x",
  "+010000-01-01T00:00:00.000Z",
  "0000-01-01T00:00:00Z",
  "lnk_",
  "zzzzzzzzzz-zzzzzzzzzz-lnk_00000000000000000000000000",
  "data:image/svg+xml,<svg>",
  "x".repeat(70),
  "x".repeat(10_000),
  ...NUMBERS,
  ...NAMES,
];

/** Below the limit of bodies, including the surrounding text. */
const DEPTHS = [30, 31, 32, 33, 1_000, 60_000];

/** @param value  the current value of the place */
function hostileValue(value: unknown, chance: () => number): unknown {
  const kinds: (() => unknown)[] = [
    () => swapped(value),
    () => swapped(value),
    () => new JsonText(randomElement(chance, NUMBERS)),
    () => new JsonText(randomElement(chance, NUMBERS)),
    () => randomElement(chance, HOSTILE_TEXTS),
    () => randomElement(chance, HOSTILE_TEXTS),
    () => `${typeof value === "string" ? value : ""}${randomElement(chance, ["\u0000", "\ud800", "\u202e", "\ufeff"])}`,
    () => Object.fromEntries([[randomElement(chance, NAMES), simple(value, chance)]]),
    () => Object.fromEntries(NAMES.map((name) => [name, simple(value, chance)])),
    () => randomElement(chance, [null, true, {}, [], [[]], [null]]),
    () => Array.from({ length: randomElement(chance, [2, 101, 300]) }, () => value),
    () => nested(chance),
  ];
  return randomElement(chance, kinds)();
}

/** An array where an object belongs, and an object where an array or a text belongs. */
function swapped(value: unknown): unknown {
  if (Array.isArray(value)) return { ...value, length: value.length };
  if (typeof value === "object" && value !== null) return Object.values(value);
  return typeof value === "string" ? { 0: value, length: 1 } : [value];
}

function simple(value: unknown, chance: () => number): unknown {
  return randomElement(chance, [value, "x", 1, null, {}, [], new JsonText("1e400")]);
}

function nested(chance: () => number): JsonText {
  const depth = randomElement(chance, DEPTHS);
  const [open, close] = chance() < 0.5 ? ["[", "]"] : ['{"a":', "}"];
  return new JsonText(`${open.repeat(depth)}0${close.repeat(depth)}`);
}

type Place = readonly string[];

/** The value with something hostile at one place, which may be a member that it lacks. */
export function withHostilePart(value: unknown, chance: () => number): unknown {
  const place = randomElement(chance, placesIn(value));
  return changedAt(value, place, (part) => {
    const isObject = typeof part === "object" && part !== null && !Array.isArray(part) && !(part instanceof JsonText);
    if (!isObject || chance() < 0.5) return hostileValue(part, chance);
    const members = Object.entries(part);
    if (members.length > 0 && chance() < 0.3) members.splice(randomInteger(chance, members.length), 1);
    else members.push([randomElement(chance, NAMES), hostileValue("x", chance)]);
    return Object.fromEntries(members);
  });
}

function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== "object" || value === null || value instanceof JsonText) return [place];
  return [place, ...Object.entries(value).flatMap(([name, part]) => placesIn(part, [...place, name]))];
}

function changedAt(value: unknown, [name, ...rest]: Place, change: (part: unknown) => unknown): unknown {
  if (name === undefined) return change(value);
  const parts = Object.entries(value as object).map(([each, part]): [string, unknown] => [
    each,
    each === name ? changedAt(part, rest, change) : part,
  ]);
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}
