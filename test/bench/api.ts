/** The API as the benchmark uses it. */
import { Link, Stats } from "../../src/core/contract.ts";
import type { Hoplink } from "./server.ts";

const SETTLE_MS = 30_000;

export async function createLink(server: Hoplink, fields: Record<string, unknown>): Promise<Link> {
  return Link.parse(await call(server, "POST", "/v1/links", fields));
}

export async function createLinks(server: Hoplink, slugs: readonly string[]): Promise<void> {
  for (let i = 0; i < slugs.length; i += 100) {
    const links = slugs.slice(i, i + 100).map((slug) => ({ url: "https://example.com/", slug }));
    await call(server, "POST", "/v1/links/bulk", { links });
  }
}

/** All clicks of a link, bots included, once the count has reached `expected` (or time is up). */
export async function recorded(server: Hoplink, linkId: string, expected: number): Promise<number> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    const { total } = Stats.parse(await call(server, "GET", `/v1/links/${linkId}/stats?include_bots=true`));
    if (total >= expected || Date.now() > deadline) return total;
    await new Promise((done) => setTimeout(done, 100));
  }
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
