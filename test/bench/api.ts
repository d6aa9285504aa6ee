/** The API as the benchmark uses it. */
import { BulkResult, Link, Stats } from "../../src/core/contract/contract.ts";
import { BULK_LINKS_MAX } from "../../src/core/limits.ts";
import type { Hoplink } from "./server.ts";

const SETTLE_MS = 30_000;

export async function createLink(server: Hoplink, fields: Record<string, unknown>): Promise<Link> {
  return Link.parse(await call(server, "POST", "/v1/links", fields));
}

/** Creates one link for each slug. @returns their ids */
export async function createLinks(server: Hoplink, slugs: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < slugs.length; i += BULK_LINKS_MAX) {
    const links = slugs.slice(i, i + BULK_LINKS_MAX).map((slug) => ({ url: "https://example.com/", slug }));
    const { results } = BulkResult.parse(await call(server, "POST", "/v1/links/bulk", { links }));
    ids.push(...results.flatMap((result) => ("link" in result ? [result.link.id] : [])));
  }
  return ids;
}

/** All clicks of a link, bots included, once the count has reached `expected` (or time is up). */
export async function recorded(server: Hoplink, linkId: string, expected: number): Promise<number> {
  return recordedOver(server, [linkId], expected);
}

/** As `recorded`, over several links. */
export async function recordedOver(server: Hoplink, linkIds: readonly string[], expected: number): Promise<number> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    let sum = 0;
    for (const id of linkIds) sum += (await statsOf(server, id)).total;
    if (sum >= expected || Date.now() > deadline) return sum;
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function statsOf(server: Hoplink, linkId: string): Promise<Stats> {
  return Stats.parse(await call(server, "GET", `/v1/links/${linkId}/stats?include_bots=true`));
}

export async function call(server: Hoplink, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(server.url + path, {
    method,
    headers: { Authorization: `Bearer ${server.key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
