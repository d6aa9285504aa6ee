/**
 * Group commit: clicks of one link that meet in an isolate go to its object together.
 *
 * The first click leads: in its own `waitUntil` it sends what is queued, waits a little, sends what came meanwhile,
 * and ends when nothing did. Clicks that come while someone leads only join the queue. One of them stands deputy and
 * looks after the queue should the leader's request be cut off.
 * Module state is plain data: no request may await, resolve or call anything that belongs to another (workerd ends it
 * as a hang). A batch keeps its id until it is acknowledged, so sending it again, by whomever, counts once.
 * Terms and leases are spans of `performance.now()`: a date that is set in between must not end them.
 */
import { BatchBuilder, type ClickFacts } from "../core/click-batch.ts";
import type { ClickBatch } from "../core/link-object.ts";
import type { LinkSnapshot } from "../core/link-snapshot.ts";
import { recordBatch } from "../store/clicks.ts";
import type { FoundLink } from "../store/links.ts";
import { within } from "../store/patience.ts";
import { learnLink } from "./resolve.ts";

/** What waits in this isolate for one link's object. */
interface Line {
  name: string;
  /** The revision under which the queued clicks were decided. */
  link: LinkSnapshot;
  /** Since when somebody listens to the account's stream, epoch ms; 0 when nobody does. */
  feedSince: number;
  /** How many clicks have ever joined. */
  taken: number;
  queue: BatchBuilder;
  /** Packed and not yet acknowledged, oldest first. */
  unsent: Sealed[];
  /** Until when somebody leads, by `performance.now()`; a leader that is cut off never clears it. */
  leaseUntil: number;
  deputyUntil: number;
}

interface Sealed {
  link: LinkSnapshot;
  batch: ClickBatch;
}

const lines = new Map<string, Line>();

/** Snapshots that their object has acknowledged: those need not be sent again. */
const acknowledged = new WeakSet<LinkSnapshot>();

const LEASE_MS = 1_500;
const DEPUTY_MS = 2_000;
const DEPUTY_LOOK_MS = 500;
/** How long one request leads, well under the 30 s that `waitUntil` is granted. */
const TERM_MS = 10_000;
/** How long a leader goes on when the object does not answer, or a click that nobody else looks after has come. */
const LAST_TERM_MS = 20_000;
const RPC_PATIENCE_MS = 5_000;
const PACE_MIN_MS = 40;
const PACE_MAX_MS = 1_000;
/** With a click every millisecond in one isolate a link gathers for the longest time there is for volume alone. */
const PACE_BY_VOLUME_MAX_MS = 200;
const BACKOFF_MIN_MS = 50;
const BACKOFF_MAX_MS = 2_000;
const OVERLOADED_BACKOFF_MS = 3_000;

/** Queues a click and sees to it that somebody sends it. Returns at once. @param name  of the link's object */
export function record(env: Env, ctx: ExecutionContext, name: string, found: FoundLink, click: ClickFacts): void {
  const line = lineOf(name, found);
  line.queue.add(click);
  line.taken++;
  if (line.queue.isFull) seal(line);
  const now = performance.now();
  if (now >= line.leaseUntil) {
    line.leaseUntil = now + LEASE_MS;
    ctx.waitUntil(lead(env, line, now));
  } else if (now >= line.deputyUntil) {
    line.deputyUntil = now + DEPUTY_MS;
    ctx.waitUntil(standBy(env, line));
  }
}

function lineOf(name: string, { link, feedSince }: FoundLink): Line {
  let line = lines.get(name);
  if (!line) {
    line = { name, link, feedSince, taken: 0, queue: new BatchBuilder(), unsent: [], leaseUntil: 0, deputyUntil: 0 };
    lines.set(name, line);
  }
  line.feedSince = feedSince;
  if (line.link !== link) {
    seal(line);
    line.link = link;
  }
  return line;
}

/** @param startedAt  when the request that leads began to work in the background, by `performance.now()` */
async function lead(env: Env, line: Line, startedAt: number): Promise<void> {
  let failures = 0;
  let sent = line.taken;
  let sentAt = startedAt;
  for (;;) {
    const now = performance.now();
    line.leaseUntil = now + RPC_PATIENCE_MS + LEASE_MS;
    const perMs = (line.taken - sent) / Math.max(now - sentAt, 1);
    sent = line.taken;
    sentAt = now;
    const wait = await flush(env, line, failures);
    failures = wait === null ? 0 : failures + 1;
    const served = performance.now() - startedAt;
    if (served > (failures > 0 || line.queue.count > 0 ? LAST_TERM_MS : TERM_MS)) break;
    const pause = wait ?? pace(perMs);
    line.leaseUntil = performance.now() + pause + LEASE_MS;
    await sleep(pause);
    if (line.queue.count === 0 && line.unsent.length === 0) break;
  }
  line.leaseUntil = 0;
  // After a lease that ran out there may be two leaders, and the other may have left: the next line is not ours to end.
  const done = line.queue.count === 0 && line.unsent.length === 0;
  if (done && lines.get(line.name) === line) lines.delete(line.name);
}

/**
 * The leader may be cut off with its request, even while its lease runs. Whoever stands by stays until all that came
 * in its watch is stored, and leads as soon as nobody does; those who come later have a deputy of their own.
 */
async function standBy(env: Env, line: Line): Promise<void> {
  const startedAt = performance.now();
  await sleep(DEPUTY_MS);
  const watched = line.taken;
  while (storedOf(line) < watched && performance.now() - startedAt < LAST_TERM_MS) {
    if (performance.now() >= line.leaseUntil) return lead(env, line, startedAt);
    await sleep(DEPUTY_LOOK_MS);
  }
}

/** How many of a line's clicks its object has acknowledged. */
function storedOf({ taken, queue, unsent }: Line): number {
  return unsent.reduce((count, { batch }) => count - batch.clicks.count, taken - queue.count);
}

/** Sends all that waits. Returns null when it was acknowledged, or how many ms to wait before the next try. */
async function flush(env: Env, line: Line, failures: number): Promise<number | null> {
  seal(line);
  for (let next = line.unsent[0]; next; next = line.unsent[0]) {
    try {
      await send(env, next);
    } catch (error) {
      console.warn("clicks not yet stored", { link: next.link.id, error: String(error) });
      return isOverloaded(error) ? OVERLOADED_BACKOFF_MS : backoff(failures);
    }
    line.unsent = line.unsent.filter((sealed) => sealed !== next);
  }
  return null;
}

async function send(env: Env, { link, batch }: Sealed): Promise<void> {
  const first = acknowledged.has(link) ? batch : { ...batch, snapshot: link };
  let recorded = await within(RPC_PATIENCE_MS, recordBatch(env, link, first));
  if (recorded.kind === "snapshot_missing") {
    recorded = await within(RPC_PATIENCE_MS, recordBatch(env, link, { ...batch, snapshot: link }));
  }
  // `too_new` too: the object is of an earlier release than this Worker, or finds what a later one has stored.
  if (recorded.kind !== "recorded") throw new Error(`the object answered ${recorded.kind}`);
  acknowledged.add(link);
  if (recorded.newer) learnLink(recorded.newer);
}

/** Packs the queue: from here on these clicks have one id. */
function seal(line: Line): void {
  if (line.queue.count === 0) return;
  const clicks = line.queue.seal();
  line.queue = new BatchBuilder();
  const { link, feedSince } = line;
  const batch = { id: randomBatchId(), revision: link.revision, clicks, ...(feedSince > 0 ? { feedSince } : {}) };
  line.unsent.push({ link, batch });
}

/**
 * How long to gather: about one millisecond for each busy link, so that calls stay near a thousand a second whatever
 * the traffic; and longer for a link that is busy by itself, where a call costs more than what it saves in time.
 */
function pace(clicksPerMs: number): number {
  const byVolume = Math.min(clicksPerMs, 1) * PACE_BY_VOLUME_MAX_MS;
  return Math.min(Math.max(lines.size, byVolume, PACE_MIN_MS), PACE_MAX_MS);
}

function backoff(failures: number): number {
  return Math.random() * Math.min(BACKOFF_MIN_MS * 2 ** failures, BACKOFF_MAX_MS) + BACKOFF_MIN_MS;
}

/** 48 random bits: a number SQLite keeps in six bytes. */
function randomBatchId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 16) * 2 ** 32 + low;
}

function isOverloaded(error: unknown): boolean {
  return typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true;
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
