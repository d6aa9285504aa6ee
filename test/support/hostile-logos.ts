/**
 * Logos that try to cost much: known attacks and honest logos, mutated. Deterministic, 64 KiB at most. The reason for
 * refusing a logo does not matter here, only the cost to refuse or draw it.
 */
import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";

import { LOGO_MAX_BYTES } from "../../src/core/limits.ts";
import { randomElement, seededRandom, randomInteger } from "./seeded-random.ts";

type RandomSource = () => number;

const SVG_NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"';

/** `count` data URIs, from this one on: each kind in turn. */
export function* hostileLogos(count: number, from = 0): Generator<string> {
  for (let index = from; index < from + count; index++) yield dataUri(logoAt(index));
}

type LogoFile = { type: string; bytes: Uint8Array };

function dataUri({ type, bytes }: LogoFile): string {
  return `data:image/${type};base64,${Buffer.from(bytes.subarray(0, LOGO_MAX_BYTES)).toString("base64")}`;
}

function logoAt(index: number): LogoFile {
  const chance = seededRandom(index);
  const kind = GENERATORS[index % GENERATORS.length] ?? costlyDrawing;
  return kind(chance);
}

const GENERATORS = [
  costlyDrawing,
  costlyDrawing,
  costlyDrawing,
  costlyDrawing,
  repeatedFragments,
  repeatedFragments,
  mutatedDrawing,
  bitmap,
];

function svg(text: string): LogoFile {
  return { type: "svg+xml", bytes: new TextEncoder().encode(text) };
}

// ---- Valid drawings of costly parts

/** A drawing of the most expensive parts: shapes over the whole picture, under every paint, clip and group. */
function costlyDrawing(chance: RandomSource): LogoFile {
  const room = LOGO_MAX_BYTES - 8_000;
  const parts: string[] = [];
  for (let tries = 0, length = 1_000; tries < randomElement(chance, [1, 3, 10, 100]); tries++) {
    const part = group(chance, randomElement(chance, [0, 1, 2, 8]));
    const times = Math.min(
      randomElement(chance, [1, 1, 2, 5, 20, 100, 500]),
      Math.floor((room - length) / part.length),
    );
    parts.push(part.repeat(Math.max(0, times)));
    length += parts.at(-1)?.length ?? 0;
  }
  return svg(
    `<svg ${SVG_NAMESPACE} viewBox="0 0 100 100" ${presentationAttributes(chance)}>${definitions(chance)}${parts.join("")}</svg>`,
  );
}

function definitions(chance: RandomSource): string {
  const stop = (i: number, of: number) =>
    `<stop offset="${i / of}" stop-color="#${i % 10}9c" stop-opacity=".${i % 9}"/>`;
  const stops = randomElement(chance, [1, 2, 5, 5, 50, 150]);
  const ramp = Array.from({ length: stops }, (_, i) => stop(i, stops)).join("");
  const clips = Array.from(
    { length: randomElement(chance, [1, 1, 3, 40]) },
    () => `<path d="M0 0L100 1L99 100L1 ${randomInteger(chance, 100)}z"/>`,
  ).join("");
  const units = randomElement(chance, ["", 'gradientUnits="userSpaceOnUse"', 'spreadMethod="repeat" r="1%"']);
  return `<linearGradient id="l" ${units}>${ramp}</linearGradient><radialGradient id="r" ${units} href="#l"/><clipPath id="c">${clips}</clipPath>`;
}

function group(chance: RandomSource, depth: number): string {
  if (depth === 0) return shape(chance, randomElement(chance, [3, 3, 3, 10, 30, 100, 300, 1_000, 4_000]));
  return `<g ${presentationAttributes(chance)}>${group(chance, depth - 1)}</g>`;
}

function presentationAttributes(chance: RandomSource): string {
  const some = Array.from({ length: randomInteger(chance, 3) }, () => randomElement(chance, PRESENTATION_ATTRIBUTES));
  // Each name only once: a duplicate would make it invalid XML.
  return [...new Map(some.map((text) => [text.split("=")[0], text])).values()].join(" ");
}

const PRESENTATION_ATTRIBUTES = [
  'fill="url(#l)"',
  'fill="url(#r)"',
  'fill="none"',
  'fill="#1234"',
  'fill-opacity=".5"',
  'fill-rule="evenodd"',
  'stroke="red"',
  'stroke="url(#r)"',
  'stroke-opacity=".5"',
  'stroke-width="0.01"',
  'stroke-width="60"',
  'stroke-width="1e9"',
  'stroke-linejoin="round"',
  'stroke-linecap="round"',
  'stroke-miterlimit="10"',
  'transform="rotate(45 50 50)"',
  'transform="scale(1e3)"',
  'transform="scale(1e-3)"',
  'transform="skewX(89)"',
  'style="opacity:.5;stroke:red"',
  'opacity=".9"',
  'clip-path="url(#c)"',
  'style="clip-path:url(#c);fill:url(#r)"',
];

function shape(chance: RandomSource, edges: number): string {
  const at = () => randomElement(chance, [0, 1, 50, 99, 100, -1_000, 1_000, 1e7, randomInteger(chance, 100)]);
  const near = () => `${randomInteger(chance, 100)} ${randomInteger(chance, 100)}`;
  const times = (edge: (i: number) => string) => Array.from({ length: edges }, (_, i) => edge(i)).join("");
  const shapes = [
    () => `<rect ${presentationAttributes(chance)} width="100%" height="100" rx="${randomInteger(chance, 60)}"/>`,
    () => `<circle ${presentationAttributes(chance)} r="${at()}" cx="${at()}"/>`,
    () => `<path ${presentationAttributes(chance)} d="M0 0L100 1L99 100L1 99z"/>`,
    () =>
      `<path ${presentationAttributes(chance)} d="M0 0${times((i) => `L${randomInteger(chance, 100)} ${(i % 2) * 99}`)}"/>`,
    () =>
      `<path ${presentationAttributes(chance)} d="M0 0${times((i) => `L${(i % 2) * 99} ${randomInteger(chance, 100)}`)}"/>`,
    () => `<path ${presentationAttributes(chance)} d="M0 0${times(() => `C${near()} ${near()} ${near()}`)}"/>`,
    () =>
      `<path ${presentationAttributes(chance)} d="M0 0${times((i) => `C${randomInteger(chance, 100)} 150 ${randomInteger(chance, 100)}-50 ${randomInteger(chance, 100)} ${(i % 2) * 99}`)}"/>`,
    () =>
      `<path ${presentationAttributes(chance)} d="M0 0${times((i) => `T${randomInteger(chance, 100)} ${(i % 2) * 99}`)}"/>`,
    () =>
      `<path ${presentationAttributes(chance)} d="M0 0${times(() => `A${randomInteger(chance, 90)} 9 ${randomInteger(chance, 99)} 11${near()}`)}"/>`,
    () => `<path ${presentationAttributes(chance)} d="M0 0${times((i) => `h.02v${i % 2 ? 99 : -99}`)}"/>`,
    () => `<path ${presentationAttributes(chance)} d="M${at()} ${at()}${times(() => `l${at()} ${at()}`)}z"/>`,
    () => `<polygon ${presentationAttributes(chance)} points="${times(() => `${near()} `)}"/>`,
  ];
  return randomElement(chance, shapes)();
}

// ---- Text that is not a drawing

const FRAGMENTS = [
  ..."< > a / & ; = \" ' ! - -- ? ] [ ( url( # : é <g> </g> <!-- --> <![CDATA[ ]]> <? ?> &amp; &#45; <path/> h1 1e9".split(
    " ",
  ),
  ...' |\n|\t|<g |<g a="|<!DOCTYPE |<path d=\'|M0 0|clip&#45;path:url(#c)|clip-path:url(#c);|style="|</svg>|<svg>'.split(
    "|",
  ),
  ..."filter=\"blur(9)\"|opacity:.5;|stroke-dasharray:1;|data-a='1' |rotate(1)|<title>|<desc>|<stop/>".split("|"),
];

/** Repeated pieces, in or after a drawing, on which regular expressions and parsers are slow. */
function repeatedFragments(chance: RandomSource): LogoFile {
  const pump = () => {
    const piece = Array.from({ length: 1 + randomInteger(chance, 3) }, () => randomElement(chance, FRAGMENTS)).join("");
    return piece.repeat(Math.ceil(randomInteger(chance, LOGO_MAX_BYTES) / piece.length));
  };
  const start = randomElement(chance, [
    "",
    `<svg ${SVG_NAMESPACE}></svg>`,
    `<svg ${SVG_NAMESPACE}>`,
    `<svg ${SVG_NAMESPACE} `,
    `<svg ${SVG_NAMESPACE}><path d="`,
    `<svg ${SVG_NAMESPACE} style="`,
  ]);
  return svg(start + pump() + randomElement(chance, ["", "</svg>", '"/></svg>', pump()]));
}

/** A costly drawing, with pieces inserted, removed and duplicated. */
function mutatedDrawing(chance: RandomSource): LogoFile {
  let text = new TextDecoder().decode(costlyDrawing(chance).bytes);
  for (let i = randomInteger(chance, 10); i >= 0; i--) {
    const [from, to] = [randomInteger(chance, text.length), randomInteger(chance, text.length)].sort(
      (a, b) => a - b,
    ) as [number, number];
    const middle = randomElement(chance, ["", randomElement(chance, FRAGMENTS), text.slice(from, to).repeat(2)]);
    text = (text.slice(0, from) + middle + text.slice(to)).slice(0, LOGO_MAX_BYTES);
  }
  return svg(text);
}

// ---- PNG and JPEG

/** Headers with arbitrary promises, and data that is damaged, empty or a bomb. */
function bitmap(chance: RandomSource): LogoFile {
  return randomElement(chance, BITMAP_GENERATORS)(chance);
}

const BITMAP_GENERATORS = [png, png, jpeg, corruptedBitmap];

function png(chance: RandomSource): LogoFile {
  const [width, height] = [
    randomElement(chance, [1, 8, 1_000, 1_024, 1_024, 65_535]),
    randomElement(chance, [1, 8, 1_024, 1_024]),
  ];
  const [depth, color] = randomElement(chance, [
    [1, 0],
    [8, 0],
    [16, 0],
    [8, 2],
    [16, 2],
    [1, 3],
    [8, 3],
    [16, 4],
    [8, 6],
    [16, 6],
  ]) as [number, number];
  const interlaced = randomInteger(chance, 2);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, color, 0, 0, interlaced], 8);
  const zeros = randomElement(chance, [0, width * height, 8 * 1_024 * 1_025, 40_000_000]);
  const before = [
    chunk("iCCP", bombChunkData("icc\0\0")),
    chunk("zTXt", bombChunkData("a\0\0")),
    chunk("PLTE", Buffer.alloc(768, 7)),
    chunk("acTL", Buffer.alloc(8, 9)),
  ];
  const extra = before.filter(() => randomInteger(chance, 3) === 0);
  const rows = zeros < 9_000_000 ? deflateSync(Buffer.alloc(zeros, randomInteger(chance, 5))) : DEFLATE_BOMB;
  const chunks = [chunk("IHDR", header), ...extra, chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))];
  return { type: "png", bytes: Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks]) };
}

/** 40 MB of zeros in 40 KB. */
const DEFLATE_BOMB = deflateSync(Buffer.alloc(40_000_000));

function bombChunkData(name: string): Buffer {
  return Buffer.concat([Buffer.from(name), DEFLATE_BOMB]);
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8);
  return bytes;
}

/** A progressive JPEG of a few bytes per scan: each states that all blocks of the image end here. */
function jpeg(chance: RandomSource): LogoFile {
  const side = randomElement(chance, [8, 512, 1_024, 1_024]);
  const sampling = randomElement(chance, [0x11, 0x22, 0x44]);
  const components = randomElement(chance, [1, 3, 4]);
  const frame = [8, side >> 8, side & 255, side >> 8, side & 255, components];
  for (let id = 1; id <= components; id++) frame.push(id, id === 1 ? sampling : 0x11, 0);
  const codes = (kind: number, symbol: number) =>
    segment(0xc4, [kind, 1, ...Array.from({ length: 15 }, () => 0), symbol]);
  const scan = (id: number) => [...segment(0xda, [1, id, 0, 1, 63, 0]), 0x7f, 0xfe, 0x7f, 0xfe];
  const start = [0xff, 0xd8, ...segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)]), ...segment(0xc2, frame)];
  const bytes = [...start, ...codes(0x00, 0), ...codes(0x10, 0xe0)];
  const direct = segment(0xda, [
    components,
    ...Array.from({ length: components }, (_, i) => [i + 1, 0]).flat(),
    0,
    0,
    0,
  ]);
  bytes.push(...direct, ...Array.from({ length: randomInteger(chance, 20_000) }, () => 0));
  for (let scans = randomElement(chance, [0, 10, 19, 21, 3_000]); scans > 0; scans--)
    bytes.push(...scan(1 + (scans % components)));
  return { type: "jpeg", bytes: Uint8Array.from([...bytes, 0xff, 0xd9]) };
}

function segment(marker: number, data: readonly number[]): number[] {
  return [0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255, ...data];
}

/** One of the others with changed bytes. */
function corruptedBitmap(chance: RandomSource): LogoFile {
  const { type, bytes } = randomElement(chance, [png, jpeg])(chance);
  const changed = Uint8Array.from(bytes);
  for (let i = randomInteger(chance, 20); i >= 0; i--)
    changed[randomInteger(chance, changed.length)] = randomInteger(chance, 256);
  return { type, bytes: changed };
}
