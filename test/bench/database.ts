/** Links' use of the database: rows billed for a visit, a creation and a change, and the storage of a link. */
import { BulkResult } from "../../src/core/contract/bulk-links.ts";
import { BULK_LINKS_MAX } from "../../src/core/limits.ts";
import { bundle } from "../support/bundle.ts";
import { eventually } from "../support/eventually.ts";
import type { Figure } from "./figures.ts";
import { type HoplinkServer, startHoplink } from "./server.ts";
import { usageOf } from "./usage.ts";

/** Fewer than the unknown slugs that a network may visit in a minute. */
const TIMES = 50;
/** Enough to fill pages of the database as in a large one. */
const STORED_LINKS = 20_000;

const PLAIN = { url: "https://shop.example/products/garden-chairs?utm_source=newsletter&utm_medium=email" };
const FULL = {
  ...PLAIN,
  title: "Garden chairs, newsletter of the spring",
  tags: ["newsletter", "garden"],
  routing: [
    { if: { country: ["FR", "ES", "IT"], device: "mobile" }, to: "https://shop.example/south" },
    { if: { language: "ja" }, to: "https://shop.example/ja" },
  ],
};

export async function database(): Promise<Figure[]> {
  const server = await startHoplink(await bundle("test/bench/usage-worker.ts"));
  try {
    return [...(await billedRows(server)), ...(await storedBytes(server))];
  } finally {
    await server.stop();
  }
}

async function billedRows(server: HoplinkServer): Promise<Figure[]> {
  const { api, url, database: DB } = server;
  const slugs = Array.from({ length: TIMES }, (_, i) => `row-${i}`);
  const ids: string[] = [];
  // The account's first link and the key's first use write some rows only once.
  await api.createLink({ ...PLAIN });
  const created = await usageOf(server, async () => {
    for (const slug of slugs) ids.push((await api.createLink({ ...PLAIN, slug })).id);
  });
  const visited = await usageOf(server, async () => {
    for (const slug of slugs) await visit(`${url}/${slug}`, 302);
  });
  const unknown = await usageOf(server, async () => {
    for (const slug of slugs) await visit(`${url}/unknown-${slug}`, 404);
  });
  const changed = await usageOf(server, async () => {
    for (const id of ids) await api.call("PATCH", `/v1/links/${id}`, { url: "https://shop.example/changed" });
    const delivered = async () => (await DB.prepare("SELECT 1 FROM link_outbox").first()) === null;
    await eventually(delivered, "the links' objects have received the changes");
  });
  const each = (name: string, value: number, unit = "rows") => ({ name, value: value / TIMES, unit });
  return [
    each("rows read for a visit that is not cached", visited.rowsRead),
    each("statements for a visit that is not cached", visited.statements, "statements"),
    each("rows read for an unknown slug", unknown.rowsRead),
    each("statements for an unknown slug", unknown.statements, "statements"),
    each("rows written to create a link", created.rowsWritten),
    each("rows written to change a link", changed.rowsWritten),
  ];
}

async function visit(url: string, status: number): Promise<void> {
  const response = await fetch(url, { redirect: "manual" });
  await response.arrayBuffer();
  if (response.status !== status) throw new Error(`${url}: ${response.status}`);
}

/** Bytes of the database's file for a link, its indexes included. */
async function storedBytes(server: HoplinkServer): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, link] of Object.entries({ "a link": PLAIN, "a link with rules, title and tags": FULL })) {
    const before = await sizeOf(server);
    await createMany(server, name, link);
    const value = ((await sizeOf(server)) - before) / STORED_LINKS;
    figures.push({ name: `stored in the database for ${name}`, value, unit: "bytes" });
  }
  return figures;
}

async function createMany({ api, database: DB }: HoplinkServer, name: string, link: object): Promise<void> {
  for (let i = 0; i < STORED_LINKS; i += BULK_LINKS_MAX) {
    // The limit per minute would make it wait.
    await DB.prepare("DELETE FROM bulk_counts").run();
    const links = Array.from({ length: BULK_LINKS_MAX }, () => link);
    const { results } = BulkResult.parse(await api.call("POST", "/v1/links/bulk", { links }));
    if (!results.every((result) => "link" in result)) throw new Error(`${name}: not all were created`);
  }
}

async function sizeOf({ database: DB }: HoplinkServer): Promise<number> {
  return (await DB.prepare("SELECT 1").run()).meta.size_after;
}
