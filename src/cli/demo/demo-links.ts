/** Links of the demo: campaigns with a history of changes, and any number of plain links. Pure. */
import type { RoutingRule } from "../../core/links/routing.ts";
import { DAY_MS } from "../../core/time.ts";

/** A link's content from an instant on, until the next version. */
export interface DemoVersion {
  /** Epoch ms; a whole number of hours after the first version. */
  since: number;
  url: string;
  routing: RoutingRule[];
}

export interface DemoLink {
  slug: string;
  title: string | null;
  tags: string[];
  /** Epoch ms. */
  createdAt: number;
  /** In order; the first begins at `createdAt`. */
  versions: DemoVersion[];
  /** Visits on an ordinary day; 0 for a link that is never opened. */
  visitsPerDay: number;
  utm: { source: string; medium: string; campaign: string } | null;
}

/** Days of history. */
const DEMO_DAYS = 60;

interface Campaign extends Omit<DemoLink, "createdAt" | "versions"> {
  /** `day` counts from the creation. */
  versions: (Omit<DemoVersion, "since"> & { day: number })[];
}

const SALE_URL = "https://shop.example.com/collections/autumn-sale";
const SALE_COUNTRIES: RoutingRule[] = [
  { if: { country: ["DE", "AT", "CH"] }, to: "https://shop.example.com/de/herbst" },
  { if: { country: "FR" }, to: "https://shop.example.com/fr/automne" },
];
const APP_URL = "https://app.example.com/download";
const APP_STORE: RoutingRule = { if: { os: "ios" }, to: "https://apps.apple.com/app/example" };
const PRICING_URL = "https://www.example.com/pricing";
const PRICING_B_URL = "https://www.example.com/pricing-b";

const CAMPAIGNS: readonly Campaign[] = [
  {
    slug: "autumn-sale",
    title: "Autumn sale",
    tags: ["Campaigns", "Newsletter"],
    versions: [
      { day: 0, url: SALE_URL, routing: [] },
      { day: 14, url: SALE_URL, routing: SALE_COUNTRIES },
      {
        day: 33,
        url: SALE_URL,
        routing: [...SALE_COUNTRIES, { if: { device: "mobile" }, to: "https://shop.example.com/m/autumn-sale" }],
      },
    ],
    visitsPerDay: 260,
    utm: { source: "newsletter", medium: "email", campaign: "autumn-sale" },
  },
  {
    slug: "app",
    title: "Get the app",
    tags: ["Product"],
    versions: [
      { day: 0, url: APP_URL, routing: [APP_STORE] },
      {
        day: 21,
        url: APP_URL,
        routing: [
          APP_STORE,
          { if: { os: "android" }, to: "https://play.google.com/store/apps/details?id=com.example" },
        ],
      },
    ],
    visitsPerDay: 180,
    utm: null,
  },
  {
    slug: "pricing-test",
    title: "Pricing, A or B",
    tags: ["Campaigns", "Product"],
    versions: [
      { day: 0, url: PRICING_URL, routing: [] },
      { day: 7, url: PRICING_URL, routing: [{ if: { percent: 50 }, to: PRICING_B_URL }] },
      {
        day: 36,
        url: PRICING_URL,
        routing: [{ if: { language: "en", not: { country: "GB" } }, to: PRICING_B_URL }],
      },
    ],
    visitsPerDay: 90,
    utm: { source: "google", medium: "cpc", campaign: "pricing" },
  },
  {
    slug: "webinar",
    title: "Webinar on edge redirects",
    tags: ["Events"],
    versions: [{ day: 0, url: "https://events.example.com/edge-redirects", routing: [] }],
    visitsPerDay: 45,
    utm: { source: "linkedin", medium: "social", campaign: "webinar" },
  },
  {
    slug: "handbook",
    title: "Handbook",
    tags: ["Product"],
    versions: [
      { day: 0, url: "https://docs.example.com/welcome", routing: [] },
      { day: 25, url: "https://docs.example.com/getting-started", routing: [] },
    ],
    visitsPerDay: 120,
    utm: null,
  },
];

const SUBJECTS = ["guide", "launch", "story", "offer", "update", "talk", "survey", "event", "report", "video"];
const AREAS = ["berlin", "paris", "team", "spring", "summer", "winter", "press", "jobs", "partner", "school"];

/**
 * @param count  total number of links
 * @param now  epoch ms
 * @param chance  from 0 to 1, exclusive
 */
export function demoLinks(count: number, now: number, chance: () => number): DemoLink[] {
  const start = now - DEMO_DAYS * DAY_MS;
  const campaigns = CAMPAIGNS.slice(0, count).map((campaign, index) => campaignLink(campaign, start + index * DAY_MS));
  const others = Array.from({ length: count - campaigns.length }, (_, index) => plainLink(index, start, now, chance));
  return [...campaigns, ...others].toSorted((one, other) => one.createdAt - other.createdAt);
}

function campaignLink(campaign: Campaign, createdAt: number): DemoLink {
  const versions = campaign.versions.map(({ day, ...content }) => ({ ...content, since: createdAt + day * DAY_MS }));
  return { ...campaign, createdAt, versions };
}

/** The first ones are opened a few times a day, the long tail hardly ever. */
function plainLink(index: number, start: number, now: number, chance: () => number): DemoLink {
  const subject = SUBJECTS[index % SUBJECTS.length] ?? "";
  const area = AREAS[Math.floor(index / SUBJECTS.length) % AREAS.length] ?? "";
  const round = Math.floor(index / (SUBJECTS.length * AREAS.length));
  const slug = round === 0 ? `${area}-${subject}` : `${area}-${subject}-${round + 1}`;
  const url = `https://www.example.com/${area}/${subject}${round === 0 ? "" : `/${round + 1}`}`;
  const createdAt = start + Math.floor(chance() * (now - start));
  return {
    slug,
    title: null,
    tags: index % 3 === 0 ? [] : [area],
    createdAt,
    versions: [{ since: createdAt, url, routing: [] }],
    visitsPerDay: 40 / (index + 1),
    utm: null,
  };
}

/**
 * Reproducible random numbers: the same in every run, from 0 to under 1 (mulberry32).
 * @param seed  different seeds give different numbers
 */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
