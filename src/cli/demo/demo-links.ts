/** The links of the demo: some that tell a story, and as many plain ones as are wanted. Pure. */
import { DAY_MS } from "../../core/durations.ts";
import type { RoutingRule } from "../../core/links/routing.ts";

export interface DemoLink {
  slug: string;
  url: string;
  routing: RoutingRule[];
  /** Epoch ms. */
  createdAt: number;
  /** Visits on an ordinary day; 0 for a link that nobody has opened. */
  visitsPerDay: number;
  utm: { source: string; medium: string; campaign: string } | null;
}

/** Days of history. */
const DEMO_DAYS = 60;

const CAMPAIGNS: readonly Omit<DemoLink, "createdAt">[] = [
  {
    slug: "autumn-sale",
    url: "https://shop.example.com/collections/autumn-sale",
    routing: [
      { if: { country: ["DE", "AT", "CH"] }, to: "https://shop.example.com/de/herbst" },
      { if: { country: "FR" }, to: "https://shop.example.com/fr/automne" },
      { if: { device: "mobile" }, to: "https://shop.example.com/m/autumn-sale" },
    ],
    visitsPerDay: 260,
    utm: { source: "newsletter", medium: "email", campaign: "autumn-sale" },
  },
  {
    slug: "app",
    url: "https://app.example.com/download",
    routing: [
      { if: { os: "ios" }, to: "https://apps.apple.com/app/example" },
      { if: { os: "android" }, to: "https://play.google.com/store/apps/details?id=com.example" },
    ],
    visitsPerDay: 180,
    utm: null,
  },
  {
    slug: "pricing-test",
    url: "https://www.example.com/pricing",
    routing: [{ if: { language: "en", not: { country: "GB" } }, to: "https://www.example.com/pricing-b" }],
    visitsPerDay: 90,
    utm: { source: "google", medium: "cpc", campaign: "pricing" },
  },
  {
    slug: "webinar",
    url: "https://events.example.com/edge-redirects",
    routing: [],
    visitsPerDay: 45,
    utm: { source: "linkedin", medium: "social", campaign: "webinar" },
  },
  { slug: "handbook", url: "https://docs.example.com/getting-started", routing: [], visitsPerDay: 120, utm: null },
];

const SUBJECTS = ["guide", "launch", "story", "offer", "update", "talk", "survey", "event", "report", "video"];
const AREAS = ["berlin", "paris", "team", "spring", "summer", "winter", "press", "jobs", "partner", "school"];

/**
 * @param count  how many links there are in all
 * @param now  epoch ms
 * @param chance  from 0 to 1, exclusive
 */
export function demoLinks(count: number, now: number, chance: () => number): DemoLink[] {
  const start = now - DEMO_DAYS * DAY_MS;
  const campaigns = CAMPAIGNS.slice(0, count).map((link, index) => ({ ...link, createdAt: start + index * DAY_MS }));
  const others = Array.from({ length: count - campaigns.length }, (_, index) => plainLink(index, start, now, chance));
  return [...campaigns, ...others].toSorted((one, other) => one.createdAt - other.createdAt);
}

/** The first ones are opened a few times a day, the long tail hardly ever. */
function plainLink(index: number, start: number, now: number, chance: () => number): DemoLink {
  const subject = SUBJECTS[index % SUBJECTS.length] ?? "";
  const area = AREAS[Math.floor(index / SUBJECTS.length) % AREAS.length] ?? "";
  const round = Math.floor(index / (SUBJECTS.length * AREAS.length));
  const slug = round === 0 ? `${area}-${subject}` : `${area}-${subject}-${round + 1}`;
  return {
    slug,
    url: `https://www.example.com/${area}/${subject}${round === 0 ? "" : `/${round + 1}`}`,
    routing: [],
    createdAt: start + Math.floor(chance() * (now - start)),
    visitsPerDay: 40 / (index + 1),
    utm: null,
  };
}
