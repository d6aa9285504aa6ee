/**
 * A Worker only for the benchmark: the real object of a link, filled with clicks that its rules decided, which tries
 * rules on them. Never deployed.
 */
import { LinkClicks as RealLinkClicks } from "../../src/clicks/link-clicks.ts";
import { ClickLog } from "../../src/clicks/click-log.ts";
import { nextTurn } from "../../src/clicks/scan-queue.ts";
import { Revisions } from "../../src/clicks/link-state.ts";
import { RuleReplay } from "../../src/core/backtest/rule-replay.ts";
import { valueAt } from "../../src/core/clicks/encoding/click-batch.ts";
import type { BacktestRequest, LinkAnswer } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import type { ScannedClicks } from "../../src/core/clicks/counting/scanned-clicks.ts";
import { packClicks } from "../support/pack-clicks.ts";
import { randomInteger, seededRandom } from "../support/seeded-random.ts";
import { ClickMix, REVISIONS } from "./click-mix.ts";
import { decidedClick, ruledSnapshotAt } from "./decided-clicks.ts";
import type { FillRequest, FillResult } from "./log-worker.ts";

// The configuration names them.
export { AccountClicks } from "../../src/clicks/account-clicks.ts";
export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { ImageObject } from "../../src/images/image-object.ts";
export { Maintenance } from "../../src/maintenance/maintenance.ts";
export { Service } from "../../src/service-object.ts";

export interface TriedRules {
  result: LinkAnswer<"backtest">;
  /** The longest time for which nothing else ran in the object. */
  pauseMs: number;
}

export interface OwnRules {
  clicks: number;
  /** Clicks that their own revision's rules decide differently from the log. */
  different: number;
}

const LOAD_CLICKS = 50_000;
const BATCH_CLICKS = 100;
const QUERIES = 20;

export class LinkClicks extends RealLinkClicks {
  readonly #mix = new ClickMix();
  readonly #chance = seededRandom(3);
  readonly #snapshots = Array.from({ length: REVISIONS }, (_, n) => ruledSnapshotAt(1 + n));
  #clicks = 0;

  async load({ clicks, from, to }: FillRequest): Promise<Pick<FillResult, "clicks">> {
    const end = Math.min(clicks, this.#clicks + LOAD_CLICKS);
    while (this.#clicks < end) {
      const done = this.#clicks / clicks;
      const snapshot = this.#snapshots[Math.floor(done * REVISIONS)] ?? ruledSnapshotAt(1);
      const batch = this.#mix.batch(Math.floor(from + done * (to - from)), BATCH_CLICKS);
      const decided = batch.map((click) => decidedClick(click, snapshot, `q${randomInteger(this.#chance, QUERIES)}`));
      const { revision, id: linkId } = snapshot;
      await this.record({ id: 2 ** 40 + this.#clicks, linkId, revision, snapshot, clicks: packClicks(decided) });
      this.#clicks += batch.length;
    }
    return { clicks: this.#clicks };
  }

  async tryRules(request: BacktestRequest): Promise<TriedRules> {
    let last = Date.now();
    let pauseMs = 0;
    const watch = setInterval(() => {
      pauseMs = Math.max(pauseMs, Date.now() - last);
      last = Date.now();
    }, 1);
    const result = await this.backtest(request);
    clearInterval(watch);
    return { result, pauseMs: Math.max(pauseMs, Date.now() - last) };
  }

  /** Decides each click by its revision's rules. */
  async replayOwn(): Promise<OwnRules> {
    const { sql } = this.ctx.storage;
    const [log, revisions] = [new ClickLog(sql), new Revisions(sql)];
    const replays = this.#snapshots.map(({ routing }) => new RuleReplay(routing, (number) => revisions.get(number)));
    const scanner = await log.scanner();
    let different = 0;
    for (let from = 0; from < log.count; from += LOAD_CLICKS) {
      for (const clicks of scanner.scan(from, Math.min(from + LOAD_CLICKS, log.count))) {
        different += replays.reduce((sum, replay, n) => sum + this.#different(clicks, replay, 1 + n), 0);
      }
      await nextTurn();
    }
    return { clicks: log.count, different };
  }

  #different(clicks: ScannedClicks, replay: RuleReplay, revision: number): number {
    const routes = clicks.column("route");
    const own = routes.values.map((route) => route.startsWith(`${revision}.`));
    const chosen: number[] = [];
    for (let i = clicks.from; i < clicks.to; i++) if (own[routes.indexes?.[i] ?? 0]) chosen.push(i);
    const rules = ruledRules(this.#snapshots[revision - 1]?.routing.length ?? 0, revision);
    const decided = replay.decide(clicks, Uint16Array.from(chosen));
    return chosen.filter((i, n) => valueAt(routes, i) !== rules[decided[n] ?? 0]).length;
  }
}

/** The route of each rule, and of none. */
function ruledRules(rules: number, revision: number): string[] {
  return Array.from({ length: rules + 1 }, (_, rule) => `${revision}.${rule === rules ? "" : rule}`);
}

export default {
  /** `POST /<object>/load`, `/<object>/try` or `/<object>/own`, with the call's argument as JSON. */
  async fetch(request, env) {
    const [, name = "", call] = new URL(request.url).pathname.split("/");
    const object = (env.LINK_CLICKS as unknown as DurableObjectNamespace<LinkClicks>).getByName(name);
    const argument: unknown = await request.json();
    if (call === "load") return Response.json(await object.load(argument as FillRequest));
    if (call === "own") return Response.json(await object.replayOwn());
    return Response.json(await object.tryRules(argument as BacktestRequest));
  },
} satisfies ExportedHandler<Env>;
