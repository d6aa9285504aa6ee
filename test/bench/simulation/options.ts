/** The command line of `npm run simulate`. */
import { parseArgs } from "node:util";

import { BUCKETS } from "../../../src/core/links/buckets.ts";
import { COMPARED, type Traffic, USUAL_TRAFFIC } from "./traffic.ts";

interface NumberOption {
  of: Exclude<keyof Traffic, "isCacheShared">;
  about: string;
  min: number;
  max: number;
  isWhole?: boolean;
  isPercent?: boolean;
}

const NUMBER_OPTIONS: Record<string, NumberOption> = {
  links: { of: "links", about: "how many there are", min: 1, max: 1e12, isWhole: true },
  zipf: { of: "zipf", about: "exponent of Zipf's law: the larger, the busier the busiest links", min: 0, max: 4 },
  redirects: { of: "redirectsPerSecond", about: "a second", min: 0.1, max: 1e7 },
  unknown: { of: "unknown", about: "visits to unknown slugs, for 100 redirects", min: 0, max: 1e4, isPercent: true },
  creations: { of: "creations", about: "links created, for 100 redirects", min: 0, max: 1e4, isPercent: true },
  changes: { of: "changes", about: "links changed, for 100 redirects", min: 0, max: 1e4, isPercent: true },
  places: { of: "places", about: "locations that serve visitors", min: 1, max: 1_000, isWhole: true },
  "place-skew": { of: "placeSkew", about: "exponent by which places differ in size", min: 0, max: 4 },
  isolates: { of: "isolates", about: "in each place", min: 1, max: 100, isWhole: true },
  cache: { of: "cacheSeconds", about: "seconds for which an isolate keeps a link", min: 0.1, max: 86_400 },
  refresh: { of: "refreshSeconds", about: "age in seconds from which it is read again", min: 0.1, max: 86_400 },
  replicas: {
    of: "replicas",
    about: "of each database; 0: all is read from the primary",
    min: 0,
    max: 100,
    isWhole: true,
  },
  "call-ms": { of: "callMs", about: "how long a call to a link's object takes", min: 1, max: 5_000, isWhole: true },
};

/** Visits are held in memory while they are simulated. */
const VISITS_MAX = 10_000_000;

const USAGE = `Usage: npm run simulate [-- options]

How often redirects read the database and call objects, what each database has to answer, and what a month costs.
Calculated in closed form, and simulated visit by visit beside it. Without --links and --redirects for the three
deployments of the guide on scale.

${Object.entries(NUMBER_OPTIONS).map(usageOf).join("\n")}
  --shared-cache    the isolates of a place share a cache
  --databases N,N   numbers of databases to compare (1,4,16,64)
  --seconds N       simulated, after caches have filled (10)
  --seed N          of chance: the same seed, the same figures (1)
  --json            prints JSON instead of tables
  --out FILE        writes the JSON to a file as well`;

function usageOf([flag, { of, about, isPercent }]: [string, NumberOption]): string {
  const usual = USUAL_TRAFFIC[of] * (isPercent ? 100 : 1);
  return `  ${`--${flag} N`.padEnd(16)}  ${about} (${usual.toLocaleString("en-US")})`;
}

export interface SimulateOptions {
  traffics: Traffic[];
  databases: number[];
  seconds: number;
  seed: number;
  isJson: boolean;
  out: string | null;
}

/** @returns the usage if it is requested. @throws Error for invalid options */
export function parseOptions(args: string[]): SimulateOptions | { usage: string } {
  const strings = Object.fromEntries(Object.keys(NUMBER_OPTIONS).map((flag) => [flag, { type: "string" as const }]));
  const { values } = parseArgs({
    args,
    options: {
      ...strings,
      "shared-cache": { type: "boolean", default: false },
      databases: { type: "string", default: "1,4,16,64" },
      seconds: { type: "string", default: "10" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
      out: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return { usage: USAGE };
  const texts = values as Record<string, unknown>;
  const given: Partial<Traffic> = { isCacheShared: values["shared-cache"] };
  for (const [flag, option] of Object.entries(NUMBER_OPTIONS)) {
    const text = texts[flag];
    if (typeof text === "string") given[option.of] = parseNumber(flag, text, option) / (option.isPercent ? 100 : 1);
  }
  const whole = { isWhole: true, min: 1 };
  return {
    traffics: trafficsOf(given, parseNumber("seconds", values.seconds, { min: 1, max: 86_400 })),
    databases: values.databases.split(",").map((text) => parseNumber("databases", text, { ...whole, max: BUCKETS })),
    seconds: Number(values.seconds),
    seed: parseNumber("seed", values.seed, { ...whole, max: 2 ** 31 }),
    isJson: values.json,
    out: values.out ?? null,
  };
}

/** The deployment that is described, or else those that the guide compares. */
function trafficsOf(given: Partial<Traffic>, seconds: number): Traffic[] {
  const isOne = given.links !== undefined || given.redirectsPerSecond !== undefined;
  const traffics = (isOne ? [{}] : COMPARED).map((compared) => ({ ...USUAL_TRAFFIC, ...compared, ...given }));
  for (const { refreshSeconds, cacheSeconds, redirectsPerSecond } of traffics) {
    if (refreshSeconds > cacheSeconds) throw new Error("--refresh must not be longer than --cache");
    if (redirectsPerSecond * (cacheSeconds + seconds) > VISITS_MAX) {
      throw new Error(`At most ${VISITS_MAX.toLocaleString("en-US")} visits are simulated: choose fewer --seconds`);
    }
  }
  return traffics;
}

function parseNumber(
  flag: string,
  text: string,
  { min, max, isWhole = false }: Pick<NumberOption, "min" | "max" | "isWhole">,
): number {
  const value = text.trim() === "" ? NaN : Number(text);
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? "a whole number" : "a number";
  throw new Error(`--${flag} must be ${kind} from ${min} to ${max.toLocaleString("en-US")}, got ${text}`);
}
