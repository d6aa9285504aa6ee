/** Random visits of all kinds, with the expected contents of each click. */
import { factKey, mapFacts, type VisitFact } from "../../src/core/clicks/facts.ts";
import type { ClickClass } from "../../src/core/visitors/fact-values.ts";
import { ANDROID_CHROME, GOOGLEBOT, IPHONE_SAFARI, LINUX_FIREFOX, WINDOWS_EDGE } from "./sample-user-agents.ts";
import { randomElement } from "./seeded-random.ts";
import type { VisitOptions } from "./test-accounts.ts";

export interface SentVisit {
  options: VisitOptions;
  /** As in buckets and the click log. */
  facts: Record<VisitFact, string>;
  class: ClickClass;
  /** Address and User-Agent; null for a visit without an address, whose visitor is not known. */
  visitor: string | null;
  /** Id of the QR code that was scanned. */
  qr: string | null;
}

type Client = Pick<SentVisit, "class"> & {
  agent: string;
  facts: Pick<SentVisit["facts"], "device" | "os" | "browser">;
};

const client = (agent: string, device: string, os: string, browser: string, kind: ClickClass = "human"): Client => {
  return { agent, class: kind, facts: { device, os, browser } };
};

const CLIENTS: readonly Client[] = [
  client(IPHONE_SAFARI, "mobile", "ios", "safari"),
  client(ANDROID_CHROME, "mobile", "android", "chrome"),
  client(WINDOWS_EDGE, "desktop", "windows", "edge"),
  client(LINUX_FIREFOX, "desktop", "linux", "firefox"),
  client(GOOGLEBOT, "other", "other", "other", "bot"),
];

/** Headers that simulate the edge's geography, and the resulting facts. */
const PLACES: readonly { headers: Record<string, string>; facts: Partial<SentVisit["facts"]> }[] = [
  {
    headers: {
      "x-visitor-country": "DE",
      "x-visitor-continent": "EU",
      "x-visitor-region": "BE",
      "x-visitor-city": "Berlin",
    },
    facts: { country: "DE", continent: "EU", region: "DE-BE", city: "Berlin" },
  },
  { headers: { "x-visitor-country": "DE" }, facts: { country: "DE" } },
  { headers: { "x-visitor-country": "AT", "x-visitor-city": "Wien" }, facts: { country: "AT", city: "Wien" } },
  {
    headers: { "x-visitor-country": "US", "x-visitor-city": "New York, NY\\5th" },
    facts: { country: "US", city: "New York, NY\\5th" },
  },
  { headers: {}, facts: {} },
];

const UNKNOWN: SentVisit["facts"] = {
  ...mapFacts((fact) => factKey(fact, "")),
  country: "XX",
};

const ADDRESSES = ["192.0.2.1", "192.0.2.2", "2001:db8::1", null];

/**
 * @param marker  found again in `utm_term` of the click
 * @param codes  ids of the QR codes that may be scanned
 */
export function randomVisit(chance: () => number, marker: string, codes: readonly string[]): SentVisit {
  const { agent, class: declared, facts } = randomElement(chance, CLIENTS);
  const place = randomElement(chance, PLACES);
  const address = randomElement(chance, ADDRESSES);
  const isPrefetch = chance() < 0.1;
  const language = randomElement(chance, ["de-CH", "en", ""]);
  const referrer = randomElement(chance, ["news.example.com", ""]);
  const source = randomElement(chance, ["News", "mail", ""]);
  const campaign = randomElement(chance, ["a,b", "spring", ""]);
  const qr = codes.length > 0 && chance() < 0.5 ? randomElement(chance, codes) : null;
  const sent = { utm_source: source, utm_campaign: campaign, utm_term: marker, qr: qr?.slice("qr_".length) ?? "" };
  const search = new URLSearchParams(Object.entries(sent).filter(([, value]) => value !== ""));
  return {
    options: {
      search: `?${search}`,
      headers: {
        "User-Agent": agent,
        ...place.headers,
        ...(address === null ? {} : { "cf-connecting-ip": address }),
        ...(isPrefetch ? { "Sec-Purpose": "prefetch" } : {}),
        ...(language ? { "Accept-Language": language } : {}),
        ...(referrer ? { Referer: `https://www.${referrer}/path` } : {}),
      },
    },
    facts: {
      ...UNKNOWN,
      ...facts,
      ...place.facts,
      ...(language ? { language } : {}),
      ...(referrer ? { referrer } : {}),
      ...(source ? { utm_source: source.toLowerCase() } : {}),
      ...(campaign ? { utm_campaign: campaign } : {}),
      utm_term: marker,
    },
    class: declared === "human" && isPrefetch ? "prefetch" : declared,
    visitor: address === null ? null : `${address} ${agent}`,
    qr,
  };
}
