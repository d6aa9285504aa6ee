/**
 * Group commit: clicks of one link that meet in an isolate go to its object together.
 *
 * The first click leads: in its own `waitUntil` it sends what is queued, gathers for a while, sends what came meanwhile,
 * and ends when nothing did. Clicks that come while someone leads only join the queue. One of them stands deputy and
 * looks after the queue should the leader's request be cut off. A leader that has served its own link adopts queues that
 * nobody looks after.
 * An isolate's state is plain data: no request may await, resolve or call anything that belongs to another (workerd ends
 * it as a hang). A batch keeps its id until it is acknowledged, so sending it again, by whomever, counts once.
 * Terms and leases are spans of `performance.now()`: a date that is set in between must not end them.
 */
import { gatherMs, senderBackoffMs } from "../core/call-pacing.ts";
import type { ClickFacts } from "../core/click-batch.ts";
import { ClickQueue, type QueuedBatch } from "../core/click-queue.ts";
import type { LinkSnapshot } from "../core/link-snapshot.ts";
import { recordBatch } from "../store/clicks.ts";
import type { FoundLink } from "../store/links.ts";
import { NoAnswer, within } from "../store/patience.ts";
import { learnLink } from "./resolve.ts";

/** What the lines of an account's links hold together. */
interface Share {
  accountId: string;
  lines: number;
  bytes: number;
}

/** What waits in this isolate for one link's object. Times are by `performance.now()`. */
interface Line {
  name: string;
  share: Share;
  queue: ClickQueue;
  /** What the line was last weighed at. */
  bytes: number;
  /** How many clicks have ever joined. */
  taken: number;
  /** Calls in a row that failed. */
  failures: number;
  /** No call before: the object asked for it, or the last call failed. */
  restUntil: number;
  /** Until when somebody leads; a leader that is cut off never clears it. */
  leaseUntil: number;
  deputyUntil: number;
}

/** What an isolate's recorder holds, for operators. */
export interface RecorderState {
  /** Links with clicks that wait or are on their way. */
  links: number;
  /** About how much memory they take. */
  bytes: number;
  /** Clicks that were dropped since the isolate started. */
  dropped: number;
}

/** Most that clicks may hold in one isolate, which has 128 MB for everything. */
const HELD_MAX_BYTES = 16 * 1024 * 1024;
/** Of a line without its queue, as measured. */
const LINE_BYTES = 600;
const DROPPED_LOG_MS = 10_000;

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

/** Most queues that one leader adopts: a request on the free plan may make 50 calls. */
const ADOPTED_MAX = 8;
/** Lines that are looked at to find one to adopt: a bounded part of what may be tens of thousands. */
const PATROL_LINES = 64;

/** Snapshots that their object has acknowledged: those need not be sent again. */
const acknowledged = new WeakSet<LinkSnapshot>();

export class Recorder {
  readonly #lines = new Map<string, Line>();
  /** By account. */
  readonly #shares = new Map<string, Share>();
  /** Where the search for queues that nobody looks after goes on. */
  #patrol = this.#lines.values();
  #bytes = 0;
  #dropped = 0;
  #droppedLogged = 0;
  #droppedLogAt = -Infinity;

  get state(): RecorderState {
    return { links: this.#lines.size, bytes: this.#bytes, dropped: this.#dropped };
  }

  /** Queues a click and sees to it that somebody sends it. Returns at once. @param name  of the link's object */
  record(
    env: Env,
    ctx: ExecutionContext,
    name: string,
    { link, feedSince }: Pick<FoundLink, "link" | "feedSince">,
    click: ClickFacts,
  ): void {
    const line = this.#lines.get(name) ?? this.#newLine(name, link.accountId);
    if (this.#hasRoom(line)) {
      line.queue.add(link, feedSince, click);
      line.taken++;
      this.#weigh(line);
    } else {
      this.#dropped++;
      this.#logDropped(link.id);
    }
    const now = performance.now();
    if (now >= line.leaseUntil) {
      line.leaseUntil = now + LEASE_MS;
      ctx.waitUntil(this.#lead(env, line, now));
    } else if (now >= line.deputyUntil) {
      line.deputyUntil = now + DEPUTY_MS;
      ctx.waitUntil(this.#standBy(env, line));
    }
  }

  #newLine(name: string, accountId: string): Line {
    const share = this.#shares.get(accountId) ?? { accountId, lines: 0, bytes: 0 };
    this.#shares.set(accountId, share);
    share.lines++;
    const line: Line = {
      name,
      share,
      queue: new ClickQueue(randomBatchId),
      bytes: 0,
      taken: 0,
      failures: 0,
      restUntil: 0,
      leaseUntil: 0,
      deputyUntil: 0,
    };
    this.#lines.set(name, line);
    this.#weigh(line);
    return line;
  }

  /**
   * A link and its account may hold as much together as is free (a dynamic threshold): one link whose object is dead leaves
   * two thirds of the memory to the others, and all of an account's links leave half of it, though each of its batches
   * holds its link's rules. New clicks are dropped rather than old ones: a batch that was sent may be stored, so whether
   * dropping it loses anything cannot be known, and a refusal costs one comparison.
   */
  #hasRoom({ bytes, share }: Line): boolean {
    return bytes + share.bytes < HELD_MAX_BYTES - this.#bytes;
  }

  #weigh(line: Line): void {
    const bytes = LINE_BYTES + line.queue.bytes;
    this.#bytes += bytes - line.bytes;
    line.share.bytes += bytes - line.bytes;
    line.bytes = bytes;
  }

  /** Says how many clicks were dropped since it last did, at a bounded rate. */
  #logDropped(link: string): void {
    const now = performance.now();
    if (this.#dropped === this.#droppedLogged || now < this.#droppedLogAt) return;
    console.error("clicks dropped: too many wait for objects that do not answer", {
      link,
      clicks: this.#dropped - this.#droppedLogged,
      sinceStart: this.#dropped,
    });
    this.#droppedLogged = this.#dropped;
    this.#droppedLogAt = now + DROPPED_LOG_MS;
  }

  /** @param startedAt  when the request that leads began to work in the background, by `performance.now()` */
  async #lead(env: Env, line: Line, startedAt: number): Promise<void> {
    await this.#serve(env, line, startedAt);
    // While calls fail there are enough senders: those of other queues would only fail as well.
    for (let adopted = 0; adopted < ADOPTED_MAX && line.failures === 0; adopted++) {
      const orphan = this.#nextOrphan();
      if (!orphan) return;
      await this.#serve(env, orphan, startedAt);
    }
  }

  /** Sends what waits for an object, batch by batch, until nothing comes any more or the leader's time is over. */
  async #serve(env: Env, line: Line, startedAt: number): Promise<void> {
    let sent = line.taken;
    let sentAt = startedAt;
    while (await this.#rest(line, startedAt)) {
      const next = line.queue.next();
      if (!next) break;
      this.#weigh(line);
      const now = performance.now();
      const perMs = (line.taken - sent) / Math.max(now - sentAt, 1);
      sent = line.taken;
      sentAt = now;
      line.leaseUntil = now + RPC_PATIENCE_MS + LEASE_MS;
      const told = await this.#send(env, line, next);
      if (told !== null) this.#gather(line, now, perMs, told);
      if (line.queue.count === 0 && performance.now() - startedAt > TERM_MS) break;
    }
    line.leaseUntil = 0;
    this.#forgetIdle(line);
  }

  /** Waits until the object may be called again. @returns false when the leader cannot stay so long */
  async #rest(line: Line, startedAt: number): Promise<boolean> {
    const now = performance.now();
    const rest = Math.max(line.restUntil - now, 0);
    if (now + rest - startedAt > LAST_TERM_MS) return false;
    line.leaseUntil = now + rest + LEASE_MS;
    if (rest > 0) await sleep(rest);
    return true;
  }

  /** @returns how long the object asks to gather, ms; undefined when it does not say, null when the call failed */
  async #send(env: Env, line: Line, next: QueuedBatch): Promise<number | undefined | null> {
    try {
      const told = await send(env, next);
      line.queue.remove(next);
      line.failures = 0;
      this.#weigh(line);
      return told;
    } catch (error) {
      console.warn("clicks not yet stored", { link: next.link.id, error: String(error) });
      line.failures++;
      line.restUntil = performance.now() + senderBackoffMs(line.failures, isOverloaded(error), Math.random());
      this.#logDropped(next.link.id);
      return null;
    }
  }

  /** Sets when to send again after a call that was answered. What is packed already has nothing to gather. */
  #gather(line: Line, calledAt: number, clicksPerMs: number, told: number | undefined): void {
    const now = performance.now();
    const asked = gatherMs(told, now - calledAt, Math.random());
    line.restUntil = now + (line.queue.hasPacked ? asked : Math.max(asked, this.#pace(clicksPerMs)));
  }

  /**
   * How long to gather by what is known here: about one millisecond for each busy link, so that calls stay near a
   * thousand a second whatever the traffic; and longer for a link that is busy by itself, where a call costs more than
   * what it saves in time.
   */
  #pace(clicksPerMs: number): number {
    const byVolume = Math.min(clicksPerMs, 1) * PACE_BY_VOLUME_MAX_MS;
    return Math.min(Math.max(this.#lines.size, byVolume, PACE_MIN_MS), PACE_MAX_MS);
  }

  /**
   * The leader may be cut off with its request, even while its lease runs. Whoever stands by stays until all that came
   * in its watch is stored, and leads when the lease has run out; those who come later have a deputy of their own.
   */
  async #standBy(env: Env, line: Line): Promise<void> {
    const startedAt = performance.now();
    await sleep(DEPUTY_MS);
    const watched = line.taken;
    while (line.taken - line.queue.count < watched) {
      const now = performance.now();
      if (now >= line.leaseUntil) return this.#lead(env, line, startedAt);
      const lookAt = Math.max(line.leaseUntil, now + DEPUTY_LOOK_MS);
      if (lookAt - startedAt > LAST_TERM_MS) return;
      await sleep(lookAt - now);
    }
  }

  /** A queue whose leader gave up or was cut off, with a lease for the caller. Forgets idle lines on its way. */
  #nextOrphan(): Line | null {
    for (let looked = 0; looked < PATROL_LINES && this.#lines.size > 0; looked++) {
      const { value: line } = this.#patrol.next();
      const now = performance.now();
      if (!line) this.#patrol = this.#lines.values();
      else if (now < line.leaseUntil || this.#forgetIdle(line)) continue;
      else if (line.queue.count > 0) {
        line.leaseUntil = now + LEASE_MS;
        return line;
      }
    }
    return null;
  }

  /** Nobody may need the line any more: after a lease that ran out there may be two leaders, and one has left. */
  #forgetIdle(line: Line): boolean {
    const isIdle = line.queue.count === 0 && performance.now() >= Math.max(line.restUntil, line.leaseUntil);
    if (!isIdle || this.#lines.get(line.name) !== line) return false;
    this.#bytes -= line.bytes;
    line.share.bytes -= line.bytes;
    if (--line.share.lines === 0) this.#shares.delete(line.share.accountId);
    return this.#lines.delete(line.name);
  }
}

/** Of this isolate. */
export const recorder = new Recorder();

async function send(env: Env, { link, batch }: QueuedBatch): Promise<number | undefined> {
  const first = acknowledged.has(link) ? batch : { ...batch, snapshot: link };
  let recorded = await within(RPC_PATIENCE_MS, recordBatch(env, link, first));
  if (recorded.kind === "snapshot_missing") {
    recorded = await within(RPC_PATIENCE_MS, recordBatch(env, link, { ...batch, snapshot: link }));
  }
  // `too_new` too: the object is of an earlier release than this Worker, or finds what a later one has stored.
  if (recorded.kind !== "recorded") throw new Error(`the object refused a batch: ${recorded.kind}`);
  acknowledged.add(link);
  if (recorded.newer) learnLink(recorded.newer);
  return recorded.gatherMs;
}

/** 48 random bits: a number SQLite keeps in six bytes. */
function randomBatchId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 16) * 2 ** 32 + low;
}

/** An object that does not answer in time may have more calls than it can serve: others that come soon make it worse. */
function isOverloaded(error: unknown): boolean {
  if (error instanceof NoAnswer) return true;
  return typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true;
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
