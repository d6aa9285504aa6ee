/**
 * How fast a closed account is erased: the maintenance object's own pieces, one after the other, over real objects. Here
 * all of them share one thread; deployed, a piece waits for five queries and the slowest of its calls, so the time is
 * told that it may take.
 */
import { closeAccount } from "../../src/store/accounts/closed-accounts.ts";
import { createLinks, recordedOver } from "./api.ts";
import type { Figure } from "./figures.ts";
import { type Hoplink, startHoplink } from "./server.ts";

const LINKS = 1_024;
/** One in so many was clicked. */
const CLICKED = 2;
const ERASE_TIMEOUT_MS = 120_000;
const HOUR_MS = 3_600_000;
/** As set by startHoplink and wrangler.toml. */
const CALLS = 32;
const WANTED_IN_AN_HOUR = 100_000;

export async function erase(script: string): Promise<Figure[]> {
  const server = await startHoplink(script);
  try {
    const DB = await server.miniflare.getD1Database("DB", "hoplink");
    const slugs = Array.from({ length: LINKS }, (_, i) => `erased-${i}`);
    const ids = await createLinks(server, slugs);
    const clicked = slugs.flatMap((slug, i) => (i % CLICKED === 0 ? [{ slug, id: ids[i] ?? "" }] : []));
    for (const { slug } of clicked) await fetch(`${server.url}/${slug}`, { redirect: "manual" });
    const stored = await recordedOver(
      server,
      clicked.map(({ id }) => id),
      clicked.length,
    );
    if (stored !== clicked.length) throw new Error(`${stored} of ${clicked.length} clicks were stored`);
    const linkMs = (await eraseAll(server, DB)) / LINKS;
    const wantedMs = HOUR_MS / WANTED_IN_AN_HOUR;
    return [
      {
        name: "links of a closed account erased in an hour",
        value: HOUR_MS / linkMs,
        unit: "links",
        target: `>= ${WANTED_IN_AN_HOUR}`,
      },
      { name: `a piece of ${CALLS} of them`, value: CALLS * linkMs, unit: "ms", target: `<= ${CALLS * wantedMs}` },
    ];
  } finally {
    await server.stop();
  }
}

interface Cron {
  scheduled(options: { cron: string }): Promise<unknown>;
}

/** @returns how long it took, ms */
async function eraseAll({ miniflare }: Hoplink, DB: D1Database): Promise<number> {
  const accountId = (await DB.prepare("SELECT id FROM accounts").first<string>("id")) ?? "";
  await closeAccount({ DB }, accountId);
  // Not after the minute that is waited for isolates which still serve the links.
  await DB.prepare("UPDATE closed_accounts SET due_at = 0").run();
  const startedAt = performance.now();
  const worker = (await miniflare.getWorker("hoplink")) as unknown as Cron;
  await worker.scheduled({ cron: "* * * * *" });
  while ((await DB.prepare("SELECT 1 FROM closed_accounts").first()) !== null) {
    if (performance.now() - startedAt > ERASE_TIMEOUT_MS) throw new Error("the account was not erased");
    await new Promise((done) => setTimeout(done, 50));
  }
  const left = await DB.prepare("SELECT count(*) AS n FROM links WHERE url <> ''").first<number>("n");
  if (left !== 0) throw new Error(`${left} links were not erased`);
  return performance.now() - startedAt;
}
