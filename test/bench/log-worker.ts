/**
 * A Worker only for the benchmark: the real object of a link, and two more calls that fill its log and time its answers
 * from inside, without network and serialization. Never deployed.
 */
import { LinkClicks as RealLinkClicks } from "../../src/clicks/link-clicks.ts";
import { packClicks } from "../support/pack-clicks.ts";
import type { StatsRequest } from "../../src/core/clicks/counting/stats.ts";
import { snapshotAt } from "./bench-link.ts";
import { ClickMix, REVISIONS } from "./click-mix.ts";
import { meterRows } from "./row-meter.ts";

// The configuration names them.
export { AccountClicks } from "../../src/clicks/account-clicks.ts";
export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { ImageObject } from "../../src/images/image-object.ts";
export { Maintenance } from "../../src/maintenance/maintenance.ts";
export { Service } from "../../src/service-object.ts";

/** The final contents of a log, loaded in several calls. */
export interface FillRequest {
  clicks: number;
  /** Clicks of each batch: exactly this many, or a random number from 1 to this many. */
  batch: { exactly: number } | { upTo: number };
  /** The times that all clicks are spread over, epoch ms. */
  from: number;
  to: number;
}

export interface FillResult {
  /** Clicks so far, by all calls. */
  clicks: number;
  batches: number;
  /** Calls to `record`. */
  calls: number;
  rowsRead: number;
  rowsWritten: number;
  bytes: number;
}

export interface TimedRequest {
  /** Time of one answer. */
  ms: number;
  rowsRead: number;
}

export interface ScanTimes {
  /** The longest time for which nothing else ran in the object. */
  pauseMs: number;
}

/** Clicks that one call loads: it runs without a pause, and is one transaction. */
const LOAD_CLICKS = 50_000;
/** A query is repeated for this long; the clock has a resolution of 1 ms. */
const MEASURE_MS = 40;

export class LinkClicks extends RealLinkClicks {
  readonly #mix = new ClickMix();
  readonly #meter = meterRows(this.ctx.storage.sql);
  readonly #written: FillResult = { clicks: 0, batches: 0, calls: 0, rowsRead: 0, rowsWritten: 0, bytes: 0 };

  /** Records the next clicks of a filling, as a Worker's isolate would send them. */
  async load({ clicks, batch, from, to }: FillRequest): Promise<FillResult> {
    const written = this.#written;
    const end = Math.min(clicks, written.clicks + LOAD_CLICKS);
    while (written.clicks < end) {
      const size = Math.min("exactly" in batch ? batch.exactly : this.#mix.size(batch.upTo), end - written.clicks);
      const done = written.clicks / clicks;
      const revision = 1 + Math.floor(done * REVISIONS);
      await this.#send(revision, packClicks(this.#mix.batch(Math.floor(from + done * (to - from)), size)));
      written.clicks += size;
      written.batches++;
      this.#meter.addTo(written);
    }
    written.bytes = this.ctx.storage.sql.databaseSize;
    return written;
  }

  /** Answers a query repeatedly. The clock moves within a call, in workerd as it runs here. */
  measure(question: StatsRequest): TimedRequest {
    void this.stats(question);
    this.#meter.addTo({ rowsRead: 0, rowsWritten: 0 });
    const counted = { rowsRead: 0, rowsWritten: 0 };
    const startedAt = Date.now();
    let answers = 0;
    for (; Date.now() - startedAt < MEASURE_MS; answers++) void this.stats(question);
    const ms = (Date.now() - startedAt) / answers;
    this.#meter.addTo(counted);
    return { ms, rowsRead: counted.rowsRead / answers };
  }

  /** Answers a query that needs every click, and measures how long other calls would wait during it. */
  async scan(question: StatsRequest): Promise<ScanTimes> {
    let last = Date.now();
    let pauseMs = 0;
    const watch = setInterval(() => {
      pauseMs = Math.max(pauseMs, Date.now() - last);
      last = Date.now();
    }, 1);
    const { kind } = await this.stats(question);
    clearInterval(watch);
    if (kind !== "stats") throw new Error(kind);
    return { pauseMs: Math.max(pauseMs, Date.now() - last) };
  }

  async #send(revision: number, clicks: ReturnType<typeof packClicks>): Promise<void> {
    const id = this.#written.batches + 2 ** 40;
    this.#written.calls++;
    if ((await this.record({ id, revision, clicks })).kind === "recorded") return;
    this.#written.calls++;
    await this.record({ id, revision, clicks, snapshot: snapshotAt(revision) });
  }
}

export default {
  /** `POST /<object>/load`, `/<object>/measure` or `/<object>/scan`, with the call's argument as JSON. */
  async fetch(request, env) {
    const [, name = "", call] = new URL(request.url).pathname.split("/");
    const object = (env.LINK_CLICKS as unknown as DurableObjectNamespace<LinkClicks>).getByName(name);
    const argument: unknown = await request.json();
    if (call === "load") return Response.json(await object.load(argument as FillRequest));
    const question = argument as StatsRequest;
    return Response.json(await (call === "scan" ? object.scan(question) : object.measure(question)));
  },
} satisfies ExportedHandler<Env>;
