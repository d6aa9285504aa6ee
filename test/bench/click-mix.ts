/**
 * Clicks as a busy link gets them: few countries, browsers and sites account for most, and many others for a few each.
 * As in reality, each city is in its region and each region in its country. Random values are seeded: every run has the
 * same clicks.
 */
import { UNKNOWN_SPLIT } from "../../src/core/visitors/split.ts";
import type { Click } from "../support/pack-clicks.ts";
import { seededRandom, randomInteger } from "../support/seeded-random.ts";

const COUNTRIES = 80;
const REGIONS = 400;
const CITIES = 2_000;
const LANGUAGES = 40;
const REFERRERS = 300;
const QR_CODES = 3;
const VISITORS = 50_000;
const DAY_MS = 86_400_000;
export const RULES = 5;
export const REVISIONS = 3;

const DIRECT_SHARE = 0.4;
const QR_SHARE = 0.05;
const BOT_SHARE = 0.05;
const PREFETCH_SHARE = 0.01;
/** Between two clicks of one batch. */
const GAP_MAX_MS = 20;

const CONTINENTS = ["EU", "NA", "AS", "SA", "AF", "OC"];
const CLIENTS = [
  ["mobile", "ios", "safari"],
  ["mobile", "android", "chrome"],
  ["desktop", "windows", "chrome"],
  ["desktop", "macos", "safari"],
  ["desktop", "windows", "edge"],
  ["desktop", "macos", "chrome"],
  ["mobile", "android", "samsung_internet"],
  ["mobile", "ios", "chrome"],
  ["desktop", "windows", "firefox"],
  ["tablet", "ios", "safari"],
  ["desktop", "linux", "chrome"],
  ["tablet", "android", "chrome"],
  ["desktop", "linux", "firefox"],
  ["desktop", "chromeos", "chrome"],
  ["other", "other", "other"],
];

export class ClickMix {
  readonly #chance = seededRandom(1);
  readonly #visitorChance = seededRandom(2);
  readonly #city = zipf(CITIES);
  readonly #client = zipf(CLIENTS.length);
  readonly #language = zipf(LANGUAGES);
  readonly #referrer = zipf(REFERRERS);

  /** A random size from 1 to `max`. */
  size(max: number): number {
    return 1 + randomInteger(this.#chance, max);
  }

  /** `count` clicks within moments of each other, the first at `at` (epoch ms). */
  batch(at: number, count: number): Click[] {
    const clicks: Click[] = [];
    for (let i = 0, time = at; i < count; i++, time += randomInteger(this.#chance, GAP_MAX_MS))
      clicks.push(this.#click(time));
    return clicks;
  }

  #click(at: number): Click {
    const city = this.#city(this.#chance());
    const [region, country] = [city % REGIONS, city % COUNTRIES];
    const [device = "", os = "", browser = ""] = CLIENTS[this.#client(this.#chance())] ?? [];
    const code = String.fromCharCode(65 + (country % 26), 65 + Math.floor(country / 26));
    return {
      at,
      class: this.#class(this.#chance()),
      country: code,
      continent: CONTINENTS[country % CONTINENTS.length] ?? "",
      region: `${code}-${region}`,
      city: name(city),
      device,
      os,
      browser,
      language: `l${this.#language(this.#chance())}`,
      referrer: this.#chance() < DIRECT_SHARE ? "" : `${name(this.#referrer(this.#chance())).toLowerCase()}.com`,
      qr: this.#chance() < QR_SHARE ? `qr_${"0".repeat(15)}${randomInteger(this.#chance, QR_CODES)}` : "",
      split: randomInteger(this.#visitorChance, UNKNOWN_SPLIT),
      visitor: this.#visitor(at),
      rule: this.#chance() < 0.5 ? "" : String(randomInteger(this.#chance, RULES)),
    };
  }

  /** One of many visitors, with a different value every day. */
  #visitor(at: number): number {
    const visitor = randomInteger(this.#visitorChance, VISITORS) + 1;
    return ((visitor + Math.floor(at / DAY_MS)) * 0x9e37_79b1) % 2 ** 48;
  }

  #class(chance: number): Click["class"] {
    if (chance < BOT_SHARE) return "bot";
    return chance < BOT_SHARE + PREFETCH_SHARE ? "prefetch" : "human";
  }
}

const SYLLABLES = [
  "ber",
  "lin",
  "mar",
  "se",
  "ton",
  "vi",
  "lla",
  "bur",
  "go",
  "san",
  "pe",
  "dro",
  "ka",
  "wa",
  "field",
  "new",
];

/** A name of about nine letters, different for each number. */
function name(number: number): string {
  const syllables = [number % 16, (number >> 4) % 16, (number >> 8) % 16].map((index) => SYLLABLES[index] ?? "");
  const text = syllables.join("");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Chooses among `count` by rank: the second occurs half as often as the first, the third a third as often. */
function zipf(count: number): (chance: number) => number {
  let total = 0;
  const sums = Float64Array.from({ length: count }, (_, rank) => (total += 1 / (rank + 1)));
  return (chance) => {
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) > chance * total) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
