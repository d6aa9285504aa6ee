/**
 * The traffic of a demo link, hour by hour: more by day than by night where the visitors live, and less on weekends. On
 * one day, a post went viral. Pure: chance is an argument, so that every run generates the same clicks.
 */
import { BatchBuilder } from "../../core/clicks/encoding/batch-builder.ts";
import type { PackedClicks } from "../../core/clicks/encoding/click-batch.ts";
import { clickOf, mapFacts, type NewClick } from "../../core/clicks/facts.ts";
import { chooseDestination } from "../../core/links/routing.ts";
import { DAY_MS, HOUR_MS, utcDay } from "../../core/time.ts";
import type { ClickClass } from "../../core/visitors/fact-values.ts";
import { simulatedVisitor } from "../../core/visitors/simulated-visitor.ts";
import { SipHash } from "../../core/visitors/siphash.ts";
import { hash32, splitOf, splitPercent } from "../../core/visitors/split.ts";
import type { DemoLink, DemoVersion } from "./demo-links.ts";

/**
 * Where the demo's visitors come from: real cities with the codes that Cloudflare's edge would report. `weight` is the
 * place's share of the traffic, `utcOffsetHours` shifts its day.
 */
const DEMO_PLACES = (
  [
    ["DE", "EU", "DE-BE", "Berlin", "de-DE", 1, 16],
    ["DE", "EU", "DE-BY", "Munich", "de-DE", 1, 9],
    ["DE", "EU", "DE-HH", "Hamburg", "de-DE", 1, 6],
    ["US", "NA", "US-CA", "San Francisco", "en-US", -8, 11],
    ["US", "NA", "US-NY", "New York", "en-US", -5, 10],
    ["US", "NA", "US-TX", "Austin", "en-US", -6, 5],
    ["US", "NA", "US-WA", "Seattle", "en-US", -8, 3],
    ["GB", "EU", "GB-ENG", "London", "en-GB", 0, 10],
    ["GB", "EU", "GB-SCT", "Edinburgh", "en-GB", 0, 2],
    ["FR", "EU", "FR-IDF", "Paris", "fr-FR", 1, 7],
    ["FR", "EU", "FR-ARA", "Lyon", "fr-FR", 1, 2],
    ["CH", "EU", "CH-ZH", "Zurich", "de-CH", 1, 5],
    ["AT", "EU", "AT-9", "Vienna", "de-AT", 1, 4],
    ["NL", "EU", "NL-NH", "Amsterdam", "nl-NL", 1, 4],
    ["ES", "EU", "ES-MD", "Madrid", "es-ES", 1, 3],
    ["IT", "EU", "IT-25", "Milan", "it-IT", 1, 3],
    ["PL", "EU", "PL-14", "Warsaw", "pl-PL", 1, 2],
    ["SE", "EU", "SE-AB", "Stockholm", "sv-SE", 1, 2],
    ["CA", "NA", "CA-ON", "Toronto", "en-CA", -5, 3],
    ["BR", "SA", "BR-SP", "São Paulo", "pt-BR", -3, 4],
    ["MX", "NA", "MX-CMX", "Mexico City", "es-MX", -6, 2],
    ["IN", "AS", "IN-KA", "Bengaluru", "en-IN", 5.5, 5],
    ["IN", "AS", "IN-MH", "Mumbai", "en-IN", 5.5, 3],
    ["JP", "AS", "JP-13", "Tokyo", "ja-JP", 9, 5],
    ["SG", "AS", "SG-01", "Singapore", "en-SG", 8, 2],
    ["AU", "OC", "AU-NSW", "Sydney", "en-AU", 11, 3],
    ["ZA", "AF", "ZA-WC", "Cape Town", "en-ZA", 2, 1],
    ["NG", "AF", "NG-LA", "Lagos", "en-NG", 1, 1],
  ] as const
).map(([country, continent, region, city, language, utcOffsetHours, weight]) => {
  return { country, continent, region, city, language, utcOffsetHours, weight };
});

type DemoPlace = (typeof DEMO_PLACES)[number];

type Chance = () => number;

const CLIENTS = [
  { device: "mobile", os: "ios", browser: "safari", weight: 30 },
  { device: "mobile", os: "android", browser: "chrome", weight: 24 },
  { device: "desktop", os: "windows", browser: "chrome", weight: 14 },
  { device: "desktop", os: "macos", browser: "safari", weight: 8 },
  { device: "desktop", os: "macos", browser: "chrome", weight: 8 },
  { device: "desktop", os: "windows", browser: "edge", weight: 6 },
  { device: "desktop", os: "windows", browser: "firefox", weight: 3 },
  { device: "mobile", os: "android", browser: "samsung", weight: 3 },
  { device: "tablet", os: "ios", browser: "safari", weight: 2 },
  { device: "desktop", os: "linux", browser: "firefox", weight: 2 },
] as const;

const REFERRERS = [
  { host: undefined, weight: 38 },
  { host: "google.com", weight: 18 },
  { host: "linkedin.com", weight: 10 },
  { host: "instagram.com", weight: 8 },
  { host: "news.ycombinator.com", weight: 6 },
  { host: "app:com.slack", weight: 5 },
  { host: "reddit.com", weight: 5 },
  { host: "facebook.com", weight: 4 },
  { host: "bing.com", weight: 3 },
  { host: "github.com", weight: 3 },
] as const;

/** Visits in each hour of a local day, as shares of the busiest. */
const HOURS = [
  0.1, 0.06, 0.04, 0.03, 0.04, 0.08, 0.2, 0.42, 0.65, 0.85, 0.95, 0.9, 0.82, 0.85, 0.95, 1, 0.95, 0.88, 0.8, 0.78, 0.75,
  0.6, 0.38, 0.2,
];
const HOURS_SUM = HOURS.reduce((sum, share) => sum + share, 0);
const PLACES_WEIGHT = DEMO_PLACES.reduce((sum, { weight }) => sum + weight, 0);
const WEEKEND_SHARE = 0.55;
/** The day on which a post went viral, counted back from today, and its effect on the links of campaigns. */
const VIRAL_DAYS_AGO = 11;
const VIRAL_FACTOR = 5;
const BOT_SHARE = 0.06;
/** For a place with weight 1. */
const PEOPLE_PER_WEIGHT = 20;
const publicHash = new SipHash(new Uint8Array(16));

/** Clicks in one batch, which an object stores as a row. */
const BATCH_MAX_CLICKS = 400;

export interface DemoBatch {
  /** Index of the version that visitors got. */
  version: number;
  clicks: PackedClicks;
}

/** The clicks of a link from its creation until `now` (epoch ms), packed in chronological order. */
export function* demoBatches(link: DemoLink, now: number, chance: Chance): Generator<DemoBatch> {
  let batch = new BatchBuilder();
  let version = 0;
  for (let hour = link.createdAt; hour < now; hour += HOUR_MS) {
    const next = link.versions.findLastIndex(({ since }) => since <= hour);
    for (const click of clicksOfHour(link, next, hour, now, chance)) {
      if (batch.count === BATCH_MAX_CLICKS || (next !== version && batch.count > 0)) {
        yield { version, clicks: batch.pack() };
        batch = new BatchBuilder();
      }
      version = next;
      batch.add(click);
    }
  }
  if (batch.count > 0) yield { version, clicks: batch.pack() };
}

function clicksOfHour(link: DemoLink, index: number, from: number, now: number, chance: Chance): NewClick[] {
  const version = link.versions[index];
  if (!version) return [];
  const to = Math.min(from + HOUR_MS, now);
  const viral = link.utm !== null && Math.floor((now - from) / DAY_MS) === VIRAL_DAYS_AGO ? VIRAL_FACTOR : 1;
  const visits: { at: number; place: DemoPlace }[] = [];
  for (const place of DEMO_PLACES) {
    const { weight, utcOffsetHours } = place;
    const local = new Date(from + utcOffsetHours * HOUR_MS);
    const weekend = local.getUTCDay() % 6 === 0 ? WEEKEND_SHARE : 1;
    const share = (HOURS[local.getUTCHours()] ?? 0) / HOURS_SUM;
    const count = roundByChance(link.visitsPerDay * share * weekend * viral * (weight / PLACES_WEIGHT), chance);
    for (let i = 0; i < count; i++) visits.push({ at: Math.floor(from + chance() * (to - from)), place });
  }
  return visits
    .sort((one, other) => one.at - other.at)
    .map(({ at, place }) => newClick(link, version, at, place, chance));
}

/** 0.3 becomes 1 three times out of ten. */
function roundByChance(expected: number, chance: Chance): number {
  return Math.floor(expected) + (chance() < expected % 1 ? 1 : 0);
}

function newClick(link: DemoLink, version: DemoVersion, at: number, place: DemoPlace, chance: Chance): NewClick {
  const { country, continent, region, city, language } = place;
  const person = personOf(place, chance);
  const { device, os, browser } = byWeight(CLIENTS, person.taste);
  const { host } = byWeight(REFERRERS, chance);
  const utm: Record<string, string> = link.utm && chance() < 0.6 ? utmQuery(link.utm) : {};
  const split = splitOf(link.slug, person.name, 0);
  const point = splitPercent(split) ?? 0;
  const facts = { country, continent, region, city, device, os, browser, language, query: utm, point };
  const visitor = simulatedVisitor({ ...facts, ...(host === undefined ? {} : { referrer: host }) }, at);
  const decision = chooseDestination({ ...version, expiresAt: null }, visitor);
  const clickClass: ClickClass = chance() < BOT_SHARE ? "bot" : "human";
  const rule = decision.kind === "redirect" ? decision.rule : -1;
  const visit = { ...mapFacts(() => null), ...visitor, split, class: clickClass };
  return clickOf(visit, rule, null, "", visitorHash(person.name, at));
}

/**
 * Some people in a place come often, even on one day, most hardly ever. `taste` chooses a device, always the same one.
 */
function personOf({ city, weight }: DemoPlace, chance: Chance): { name: string; taste: Chance } {
  const name = `${city} ${Math.floor(chance() ** 2 * weight * PEOPLE_PER_WEIGHT)}`;
  return { name, taste: () => hash32(name) / 2 ** 32 };
}

/** Identifies a person on one UTC day, as for real visitors. */
function visitorHash(person: string, at: number): number {
  return publicHash.number48(utcDay(at)).text(person).digest() || 1;
}

function utmQuery({ source, medium, campaign }: NonNullable<DemoLink["utm"]>): Record<string, string> {
  return { utm_source: source, utm_medium: medium, utm_campaign: campaign };
}

function byWeight<T extends { weight: number }>(choices: readonly T[], chance: Chance): T {
  let rest = chance() * choices.reduce((sum, { weight }) => sum + weight, 0);
  const chosen = choices.find(({ weight }) => (rest -= weight) < 0) ?? choices.at(-1);
  if (!chosen) throw new Error("nothing to choose from");
  return chosen;
}
