/** A link with clicks of different people, for tests of its statistics. */
import type { Link } from "../../src/core/contract/links.ts";
import { Stats } from "../../src/core/contract/stats.ts";
import type { ApiClient } from "./api-client.ts";
import { eventually } from "./eventually.ts";

export const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1";
const WINDOWS =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

/** Visits, each by its place, its software and its referrer: of two visitors, since all have one address. */
export const VISITS = [
  { country: "DE", region: "BE", agent: IPHONE, referrer: "https://news.example.com/" },
  { country: "DE", region: "BY", agent: WINDOWS, referrer: "" },
  { country: "DE", region: "BE", agent: WINDOWS, referrer: "" },
  { country: "FR", region: "IDF", agent: IPHONE, referrer: "" },
  { country: "US", region: "CA", agent: WINDOWS, referrer: "https://news.example.com/" },
];

/** A link created by a key and visited by all of `VISITS`, which have been counted. */
export async function createVisitedLink(api: ApiClient, fields: Record<string, unknown> = {}): Promise<Link> {
  const link = await api.createLink(fields);
  for (const { country, region, agent, referrer } of VISITS) {
    const headers = {
      "x-visitor-country": country,
      "x-visitor-region": region,
      "User-Agent": agent,
      ...(referrer ? { Referer: referrer } : {}),
    };
    await fetch(link.short_url, { redirect: "manual", headers });
  }
  const count = async () => Stats.parse(await api.call("GET", `/v1/links/${link.id}/stats`)).total;
  await eventually(async () => (await count()) === VISITS.length, "all visits are counted");
  return link;
}
