/**
 * How fast a closed account is erased: the maintenance object's own pieces, in sequence, over real objects. Here they
 * share one thread; deployed, a piece waits for five queries and the slowest of its calls, so the report shows how long
 * a piece may take.
 */
import { closeAccount } from "../../src/store/accounts/closed-accounts.ts";
import { eventually } from "../support/eventually.ts";
import type { Figure } from "./figures.ts";
import { type HoplinkServer, startHoplink } from "./server.ts";

const LINKS = 1_024;
/** One in this many links was clicked. */
const CLICKED_EVERY = 2;
const ERASE_TIMEOUT_MS = 120_000;
const HOUR_MS = 3_600_000;
/** As set by startHoplink and wrangler.toml. */
const CALLS_PER_BATCH = 32;
const TARGET_LINKS_PER_HOUR = 100_000;

export async function erase(script: string): Promise<Figure[]> {
  const server = await startHoplink(script);
  try {
    const slugs = Array.from({ length: LINKS }, (_, i) => `erased-${i}`);
    const ids = await server.api.createLinks(slugs);
    const clicked = slugs.flatMap((slug, i) => (i % CLICKED_EVERY === 0 ? [{ slug, id: ids[i] ?? "" }] : []));
    for (const { slug } of clicked) await fetch(`${server.url}/${slug}`, { redirect: "manual" });
    const stored = await server.api.totalOnceRecorded(
      clicked.map(({ id }) => id),
      clicked.length,
    );
    if (stored !== clicked.length) throw new Error(`${stored} of ${clicked.length} clicks were stored`);
    const linkMs = (await eraseAll(server)) / LINKS;
    const wantedMs = HOUR_MS / TARGET_LINKS_PER_HOUR;
    return [
      {
        name: "links of a closed account erased in an hour",
        value: HOUR_MS / linkMs,
        unit: "links",
        target: `>= ${TARGET_LINKS_PER_HOUR}`,
      },
      {
        name: `a piece of ${CALLS_PER_BATCH} of them`,
        value: CALLS_PER_BATCH * linkMs,
        unit: "ms",
        target: `<= ${CALLS_PER_BATCH * wantedMs}`,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** @returns how long it took, ms */
async function eraseAll({ workerd, database: DB }: HoplinkServer): Promise<number> {
  const accountId = (await DB.prepare("SELECT id FROM accounts").first<string>("id")) ?? "";
  await closeAccount({ DB }, accountId);
  // Skips the minute that erasure waits for isolates which still serve the links.
  await DB.prepare("UPDATE closed_accounts SET due_at = 0").run();
  const startedAt = performance.now();
  await workerd.runCron("hoplink");
  const isErased = async () => (await DB.prepare("SELECT 1 FROM closed_accounts").first()) === null;
  await eventually(isErased, "the account is erased", ERASE_TIMEOUT_MS);
  const left = await DB.prepare("SELECT count(*) AS n FROM links WHERE url <> ''").first<number>("n");
  if (left !== 0) throw new Error(`${left} links were not erased`);
  return performance.now() - startedAt;
}
