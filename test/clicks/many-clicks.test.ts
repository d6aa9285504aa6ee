/**
 * Thousands of visits from 20 countries over 5 links with overlapping rules, and all their statistics. The expected
 * values are counted here, from the sent data: visitors' facts come from tables, rules are written a second time as
 * plain functions, and calendars use the runtime's own date formatting. The clock moves from visit to visit, so that
 * the visits cross a Sunday night, the end of a month, and the hour that New York has twice on 1 November 2026.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import type { Stats } from "../../src/core/contract/stats.ts";
import { type Grouping, GROUPINGS, type Interval, INTERVALS } from "../../src/core/clicks/counting/groupings.ts";
import { type TestAccount, premiumAccount, visit } from "../support/test-accounts.ts";
import * as browsers from "../support/sample-user-agents.ts";
import { randomElement, seededRandom, randomInteger } from "../support/seeded-random.ts";
import { freezeClockAt } from "../support/clock.ts";

// Thousands of requests on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 30_000 });

const CLICKS = 2_200;
const FROM = Date.parse("2026-10-31T20:00:00Z");
/** 2,000 minutes later: the longest range available by the minute. */
const TO = FROM + 2_000 * 60_000;
/** At 02:00 in New York it is 01:00 again. */
const CLOCK_CHANGE = Date.parse("2026-11-01T06:00:00Z");
const ZONES = ["UTC", "America/New_York", "Asia/Kathmandu"] as const;
const QUARTER_MS = 15 * 60_000;

/** Country, continent, region and city as the edge reports them; empty if unknown. */
const PLACES = [
  ["AR", "SA", "C", "Buenos Aires"],
  ["AT", "EU", "9", "Vienna"],
  ["AU", "OC", "NSW", "Sydney"],
  ["BR", "SA", "SP", "São Paulo"],
  ["CA", "NA", "QC", "Montreal"],
  ["CH", "EU", "ZH", "Zürich"],
  ["CN", "AS", "", ""],
  ["DE", "EU", "BE", "Berlin"],
  ["EG", "AF", "C", "Cairo"],
  ["ES", "EU", "MD", "Madrid"],
  ["FR", "EU", "IDF", "Paris"],
  ["GB", "EU", "ENG", "London"],
  ["IN", "AS", "MH", "Mumbai"],
  ["JP", "AS", "13", "Tokyo"],
  ["MX", "NA", "CMX", ""],
  ["NG", "AF", "LA", "Lagos"],
  ["T1", "", "", ""],
  ["US", "NA", "TX", "Austin"],
  ["XX", "", "", ""],
  ["ZA", "AF", "GP", "Johannesburg"],
] as const;

/** User-Agents with their device, os, browser and class. */
const CLIENTS = [
  [browsers.IPHONE_SAFARI, "mobile", "ios", "safari", "human"],
  [browsers.ANDROID_CHROME, "mobile", "android", "chrome", "human"],
  [browsers.ANDROID_SAMSUNG, "mobile", "android", "samsung", "human"],
  [browsers.IPAD_SAFARI, "tablet", "ios", "safari", "human"],
  [browsers.WINDOWS_CHROME, "desktop", "windows", "chrome", "human"],
  [browsers.WINDOWS_EDGE, "desktop", "windows", "edge", "human"],
  [browsers.MAC_SAFARI, "desktop", "macos", "safari", "human"],
  [browsers.LINUX_FIREFOX, "desktop", "linux", "firefox", "human"],
  [browsers.CHROMEBOOK_CHROME, "desktop", "chromeos", "chrome", "human"],
  [browsers.CURL, "other", "other", "other", "human"],
  [browsers.GOOGLEBOT, "other", "other", "other", "bot"],
] as const;

const LANGUAGES = [
  ["", "unknown"],
  ["de", "de"],
  ["de-CH, fr;q=0.9", "de-CH"],
  ["en-us,en;q=0.5", "en-US"],
  ["fr;q=0.2, pt-BR;q=0.7", "pt-BR"],
] as const;

const REFERRERS = [
  ["", "direct"],
  ["https://www.news.example/story", "news.example"],
  ["https://m.news.example/", "m.news.example"],
  ["https://search.example/?q=x", "search.example"],
  ["android-app://com.example.mail/", "app:com.example.mail"],
] as const;

/** One visit: the data sent, and the words under which it must be counted. */
interface Sent extends Record<Grouping, string> {
  at: number;
  link: number;
  class: string;
  /** Value of the query parameter `ref`; null without one. */
  ref: string | null;
  /** UTM parameters as sent. */
  utm: string;
  headers: Record<string, string>;
  place: (typeof PLACES)[number];
}

interface Rule {
  if: object;
  /** The same condition, written by hand. */
  holds: (visitor: Sent) => boolean;
  /** Canonical text. */
  text: string;
}

const isGerman = ({ language }: Sent) => language === "de" || language.startsWith("de-");

/** Rules of each link, most of which overlap. */
const RULES: Rule[][] = [
  [],
  [
    { if: { country: "DE" }, holds: (v) => v.country === "DE", text: "country=DE" },
    {
      if: { country: ["DE", "CH", "AT"] },
      holds: (v) => ["AT", "CH", "DE"].includes(v.country),
      text: "country=AT,CH,DE",
    },
    {
      if: { device: "mobile", continent: "EU" },
      holds: (v) => v.continent === "EU" && v.device === "mobile",
      text: "continent=EU&device=mobile",
    },
    { if: { device: "mobile" }, holds: (v) => v.device === "mobile", text: "device=mobile" },
  ],
  [
    {
      if: { language: "de", not: { country: "DE" } },
      holds: (v) => isGerman(v) && v.country !== "DE",
      text: "language=de&not(country=DE)",
    },
    {
      if: { referrer: "news.example" },
      holds: (v) => ["news.example", "m.news.example"].includes(v.referrer),
      text: "referrer=news.example",
    },
    {
      if: { browser: ["edge", "chrome"] },
      holds: (v) => ["chrome", "edge"].includes(v.browser),
      text: "browser=chrome,edge",
    },
    { if: { not: { os: "ios" } }, holds: (v) => v.os !== "ios", text: "not(os=ios)" },
  ],
  [
    {
      if: { country: "US", after: "2026-11-01T01:00:00-05:00" },
      holds: (v) => v.country === "US" && v.at >= CLOCK_CHANGE,
      text: "after=2026-11-01T06:00:00.000Z&country=US",
    },
    { if: { country: ["US", "CA"] }, holds: (v) => ["CA", "US"].includes(v.country), text: "country=CA,US" },
    {
      if: { time: { tz: "America/New_York", from: "01:00", to: "02:00" } },
      // The hour from one to two occurs twice.
      holds: (v) => v.at >= CLOCK_CHANGE - 3_600_000 && v.at < CLOCK_CHANGE + 3_600_000,
      text: "time(from=01:00&to=02:00&tz=America/New_York)",
    },
    { if: { query: { ref: "x" } }, holds: (v) => v.ref === "x", text: "query(ref=x)" },
  ],
  [
    { if: { region: "US-TX" }, holds: (v) => v.region === "US-TX", text: "region=US-TX" },
    {
      if: { city: ["Paris", "Berlin"] },
      holds: (v) => ["Berlin", "Paris"].includes(v.city),
      text: "city=berlin,paris",
    },
    {
      if: { os: ["android", "ios"], continent: ["AS", "AF"] },
      holds: (v) => ["AF", "AS"].includes(v.continent) && ["android", "ios"].includes(v.os),
      text: "continent=AF,AS&os=android,ios",
    },
    {
      if: { query: { ref: true }, device: "desktop" },
      holds: (v) => v.device === "desktop" && v.ref !== null,
      text: "device=desktop&query(ref)",
    },
    { if: { country: "XX" }, holds: (v) => v.country === "XX", text: "country=XX" },
    { if: { utm_source: "NEWSLETTER" }, holds: (v) => v.utm_source === "newsletter", text: "utm_source=newsletter" },
  ],
];

/** UTM parameters as sent, with the keys of those that they contain. */
const CAMPAIGNS: [utm: string, keys: Partial<Record<Grouping, string>>][] = [
  ["", {}],
  ["utm_source=Newsletter&utm_medium=email", { utm_source: "newsletter", utm_medium: "email" }],
  [
    "utm_source=newsletter&utm_campaign=spring&utm_term=a&utm_content=b",
    {
      utm_source: "newsletter",
      utm_campaign: "spring",
      utm_term: "a",
      utm_content: "b",
    },
  ],
  ["utm_source=&utm_campaign=SPRING", { utm_campaign: "spring" }],
];
const NO_UTM = { utm_source: "none", utm_medium: "none", utm_campaign: "none", utm_term: "none", utm_content: "none" };

const destinationOf = (link: number, rule: number | "else") => `https://example.com/${link}/${rule}`;

/** Visits ordered by time. The first link has nearly half of them, so that its log is summed up in blocks. */
function visits(): Sent[] {
  const chance = seededRandom(2_026);
  const step = (TO - FROM) / CLICKS;
  return Array.from({ length: CLICKS }, (_, i) => {
    // Two at a time, and at both ends of the range.
    const at = i === CLICKS - 1 ? TO - 1 : FROM + Math.floor((i - (i % 2)) * step);
    return sentAt(at, Math.max(randomInteger(chance, 9) - 4, 0), chance);
  });
}

function sentAt(at: number, link: number, chance: () => number): Sent {
  const place = randomElement(chance, PLACES);
  const [country, continent, region, city] = place;
  const [userAgent, device, os, browser, declared] = randomElement(chance, CLIENTS);
  const [acceptLanguage, language] = randomElement(chance, LANGUAGES);
  const [referer, referrer] = randomElement(chance, REFERRERS);
  const [utm, campaign] = randomElement(chance, CAMPAIGNS);
  const prefetched = chance() < 0.05;
  const sent: Sent = {
    at,
    link,
    place,
    ref: randomElement(chance, [null, null, "x", "y"]),
    utm,
    class: declared === "bot" ? "bot" : prefetched ? "prefetch" : "human",
    headers: {
      "User-Agent": userAgent,
      ...(acceptLanguage && { "Accept-Language": acceptLanguage }),
      ...(referer && { Referer: referer }),
      ...(prefetched && { "Sec-Purpose": "prefetch" }),
    },
    country,
    continent: continent || "unknown",
    region: region ? `${country}-${region}` : "unknown",
    city: city || "unknown",
    device,
    os,
    browser,
    language,
    referrer,
    source: "link",
    qr: "none",
    rule: "default",
    destination: destinationOf(link, "else"),
    revision: "1",
    address: "",
    imported: "false",
    ...NO_UTM,
    ...campaign,
  };
  const rules = RULES[link] ?? [];
  const matched = rules.findIndex(({ holds }) => holds(sent));
  if (matched < 0) return sent;
  return { ...sent, rule: rules[matched]?.text ?? "", destination: destinationOf(link, matched) };
}

function bucketsOf(sent: readonly Sent[], grouping: Grouping): Stats["buckets"] {
  const counts = new Map<string, number>();
  for (const click of sent) counts.set(click[grouping], (counts.get(click[grouping]) ?? 0) + 1);
  return [...counts]
    .map(([key, clicks]) => ({ key, clicks }))
    .toSorted((a, b) => b.clicks - a.clicks || (a.key < b.key ? -1 : 1));
}

/** Returns the name of the bin of an instant, read off a wall calendar of the zone. */
function binNames(interval: Interval, zone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    weekday: "short",
    timeZoneName: "longOffset",
  });
  const known = new Map<number, string>();
  return (at) => {
    const minute = at - (at % 60_000);
    if (interval === "minute") return String(minute);
    const quarter = at - (at % QUARTER_MS);
    let name = known.get(quarter);
    if (name === undefined) {
      name = nameOf(
        interval,
        Object.fromEntries(format.formatToParts(quarter).map(({ type, value }) => [type, value])),
      );
      known.set(quarter, name);
    }
    return name;
  };
}

function nameOf(interval: Interval, on: Record<string, string>): string {
  const day = `${on.year}-${on.month}-${on.day}`;
  if (interval === "month") return day.slice(0, 7);
  if (interval === "hour") return `${day} ${on.hour} ${on.timeZoneName}`;
  if (interval === "day") return day;
  const sinceMonday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(on.weekday ?? "");
  return new Date(Date.parse(day) - sinceMonday * 86_400_000).toISOString();
}

/** Every bin of the range, found by steps that are no longer than any bin. */
function seriesOf(sent: readonly Sent[], interval: Interval, zone: string, from: number, to: number): Stats["series"] {
  const nameAt = binNames(interval, zone);
  const step = interval === "minute" ? 60_000 : QUARTER_MS;
  let at = from - (from % step);
  while (nameAt(at - step) === nameAt(at)) at -= step;
  const bins = new Map<string, Stats["series"][number]>();
  for (; at < to; at += step) {
    const name = nameAt(at);
    if (!bins.has(name)) bins.set(name, { start: new Date(at).toISOString(), clicks: 0 });
  }
  for (const click of sent) {
    const bin = bins.get(nameAt(click.at));
    if (bin) bin.clicks++;
  }
  return [...bins.values()];
}

const sum = (items: readonly { clicks: number }[]) => items.reduce((total, { clicks }) => total + clicks, 0);

describe("many clicks", () => {
  const sent = visits();
  const links: Link[] = [];
  /** One key for each link: together they send more requests than one key may in a minute. */
  const readers: TestAccount[] = [];

  beforeAll(async () => {
    freezeClockAt(FROM);
    const ann = await premiumAccount();
    for (const [i, rules] of RULES.entries()) {
      const routing = rules.map((rule, n) => ({ if: rule.if, to: destinationOf(i, n) }));
      const link = await ann.createLink({ url: destinationOf(i, "else"), routing });
      links.push(link);
      for (const click of sent) if (click.link === i) click.address = link.short_url.slice("http://".length);
      readers.push(await ann.withKey("live"));
    }
    for (const { at, link, place, ref, utm, headers, destination } of sent) {
      const [country, continent, region, city] = place;
      freezeClockAt(at);
      const reply = await visit(links[link]?.short_url ?? "", {
        country,
        continent,
        region,
        city,
        headers,
        search: `?${ref === null ? "" : `ref=${ref}`}&${utm}`,
      });
      if (reply.headers.get("Location") !== destination) {
        throw new Error(`${reply.status} ${reply.headers.get("Location")} instead of ${destination}`);
      }
    }
    for (const [i, link] of links.entries()) {
      await readers[i]?.waitForClicks(sent.filter((click) => click.link === i).length, link);
    }
    freezeClockAt(TO);
  }, 180_000);

  afterAll(() => {
    vi.useRealTimers();
  });

  async function statsOf(i: number, query: Record<string, string>): Promise<Stats> {
    const [reader, link] = [readers[i], links[i]];
    if (!reader || !link) throw new Error(`no link ${i}`);
    return reader.stats(link, query);
  }

  const clicksOn = (i: number) => sent.filter((click) => click.link === i);
  const peopleOn = (i: number) => clicksOn(i).filter((click) => click.class === "human");

  test("the visits are as intended: enough of them, from everywhere, over every rule", () => {
    expect(sent.length).toBeGreaterThanOrEqual(2_000);
    expect(new Set(sent.map(({ country }) => country)).size).toBe(20);
    expect(new Set(sent.map(({ link }) => link)).size).toBe(5);
    for (const [i, rules] of RULES.entries()) {
      const met = new Set(peopleOn(i).map(({ rule }) => rule));
      expect([...met].sort()).toEqual(["default", ...rules.map(({ text }) => text)].sort());
    }
    expect(clicksOn(0).length).toBeGreaterThan(1_024); // a whole block of the log
    expect(sent.some(({ at }) => at < CLOCK_CHANGE - 3_600_000)).toBe(true);
    expect(sent.some(({ at }) => at >= CLOCK_CHANGE + 3_600_000)).toBe(true);
  });

  test.for([0, 1, 2, 3, 4])(
    "2.2, 2.3, 4.3, 7 link %i: buckets, series and total equal the sent clicks, for every grouping, interval and zone",
    async (i) => {
      const people = peopleOn(i);
      const expected = { total: people.length, from: new Date(FROM).toISOString(), to: new Date(TO).toISOString() };
      for (const timezone of ZONES) {
        for (const interval of INTERVALS) {
          const series = seriesOf(people, interval, timezone, FROM, TO);
          const answers = await Promise.all(GROUPINGS.map((group_by) => statsOf(i, { group_by, interval, timezone })));
          for (const [n, answer] of answers.entries()) {
            const group_by = GROUPINGS[n] ?? "country";
            expect([sum(answer.buckets), sum(answer.series)]).toEqual([people.length, people.length]);
            expect(answer).toEqual({ ...expected, group_by, buckets: bucketsOf(people, group_by), interval, series });
          }
        }
      }
    },
  );

  test.for([0, 1, 2, 3, 4])("6, 7 link %i: bots and prefetches are added, not mixed in", async (i) => {
    const all = clicksOn(i);
    for (const group_by of GROUPINGS) {
      const query = { group_by, interval: "hour", timezone: "America/New_York", include_bots: "true" };
      const { total, buckets, series } = await statsOf(i, query);
      expect({ total, buckets, series }).toEqual({
        total: all.length,
        buckets: bucketsOf(all, group_by),
        series: seriesOf(all, "hour", "America/New_York", FROM, TO),
      });
    }
  });

  test.for([0, 1, 2, 3, 4])("7 link %i: adjacent ranges add up, wherever they are split", async (i) => {
    const people = peopleOn(i);
    const chance = seededRandom(i);
    const cuts = [
      CLOCK_CHANGE,
      ...Array.from({ length: 4 }, () => people[randomInteger(chance, people.length)]?.at ?? FROM),
    ];
    const edges = [FROM, ...cuts.toSorted((a, b) => a - b), TO];
    for (const [n, to] of edges.slice(1).entries()) {
      const from = edges[n] ?? FROM;
      const within = people.filter(({ at }) => at >= from && at < to);
      const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      for (const group_by of ["country", "rule", "referrer"] as const) {
        const answer = await statsOf(i, { ...query, group_by, interval: "day", timezone: "America/New_York" });
        expect(answer).toEqual({
          total: within.length,
          group_by,
          buckets: bucketsOf(within, group_by),
          interval: "day",
          series: from === to ? [] : seriesOf(within, "day", "America/New_York", from, to),
          ...query,
        });
      }
    }
  });

  test.for([0, 1, 2, 3, 4])("7 link %i: the click log returns every visit, in the same words", async (i) => {
    const [reader, link] = [readers[i], links[i]];
    if (!reader || !link) throw new Error(`no link ${i}`);
    const told: unknown[] = [];
    for (let after = 0; ;) {
      const page = await reader.clicks(link, { after: String(after), limit: "1000" });
      told.push(...page.data);
      after = page.next_after;
      if (!page.has_more) break;
    }
    expect(told).toEqual(
      clicksOn(i).map(
        ({ at, place: _place, headers: _headers, ref: _ref, utm: _utm, link: _link, qr: _qr, ...words }, n) => ({
          seq: n + 1,
          occurred_at: new Date(at).toISOString(),
          ...words,
          revision: 1,
          qr_id: null,
          imported: false,
        }),
      ),
    );
  });
});
