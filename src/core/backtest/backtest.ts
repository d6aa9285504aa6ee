/** Counts what other rules would have done with the clicks of a log. Clicks are added in the order of the log. Pure. */
import { linkGroupings, type RouteKeysLookup } from "../clicks/counting/groupings.ts";
import { matchingClicks, type ScannedClicks } from "../clicks/counting/scanned-clicks.ts";
import { tallyByKey } from "../clicks/counting/stats.ts";
import { bucketsOf } from "../clicks/counting/tally.ts";
import { canonicalText, DEFAULT_RULE_KEY, type RoutableLink } from "../links/routing.ts";
import { type RevisionLookup, RuleReplay, UNDECIDED } from "./rule-replay.ts";

/** The rules to try, and the destination of clicks that match none. */
export type TriedRules = Pick<RoutableLink, "url" | "routing">;

/** Number of clicks that a rule decided, and that it would have decided. */
interface RuleChange {
  /** Canonical text, or `default`. */
  rule: string;
  before: number;
  after: number;
}

/** A click that would have gone elsewhere, with both destinations. */
interface MovedClick {
  /** Position in the log. */
  position: number;
  before: string;
  after: string;
}

export interface BacktestData {
  clicks: number;
  moved: number;
  undecided: number;
  /** The tried rules in order, `default`, then other rules that decided clicks, most clicks first. */
  rules: RuleChange[];
  samples: MovedClick[];
}

/** Lookups for what the log knows about its clicks. */
export interface LoggedLink {
  routes: RouteKeysLookup;
  revisionOf: RevisionLookup;
}

export const BACKTEST_SAMPLES_MAX = 20;
/** Stands for a destination that none of the tried rules has. */
const ELSEWHERE = -1;

export class BacktestRun {
  readonly #tried: TriedRules;
  readonly #includeBots: boolean;
  readonly #revisionOf: RevisionLookup;
  readonly #replay: RuleReplay;
  readonly #routes: RouteKeysLookup;
  /** Logged clicks by route. */
  readonly #before = new Map<string, number>();
  /** Clicks by index of the rule; the last entry counts those that match none. */
  readonly #after: number[];
  /** Destination number of each tried rule, then of the default. Equal destinations have equal numbers. */
  readonly #destinations: readonly number[];
  readonly #destinationNumbers = new Map<string, number>();
  readonly #samples = new SpreadSamples<MovedClick>(BACKTEST_SAMPLES_MAX);
  #position: number;
  #moved = 0;
  #undecided = 0;

  /** @param first  position of the first click in the log */
  constructor(tried: TriedRules, log: LoggedLink, includeBots: boolean, first: number) {
    this.#tried = tried;
    this.#includeBots = includeBots;
    this.#revisionOf = log.revisionOf;
    this.#replay = new RuleReplay(tried.routing, log.revisionOf);
    this.#routes = log.routes;
    const destinations = [...tried.routing.map(({ to }) => to), tried.url];
    for (const [number, to] of destinations.entries()) this.#destinationNumbers.set(to, number);
    this.#destinations = destinations.map((to) => this.#destinationNumbers.get(to) ?? ELSEWHERE);
    this.#after = destinations.map(() => 0);
    this.#position = first;
  }

  add(clicks: ScannedClicks): void {
    const chosen = matchingClicks(clicks, [], this.#includeBots);
    const decided = this.#replay.decide(clicks, chosen);
    const { values, indexes } = clicks.column("route");
    const before = new Uint32Array(values.length);
    const destinations = values.map((route) => this.#destinationNumbers.get(this.#loggedUrl(route)) ?? ELSEWHERE);
    for (let n = 0; n < chosen.length; n++) {
      const i = chosen[n] ?? 0;
      const route = indexes?.[i] ?? 0;
      before[route] = (before[route] ?? 0) + 1;
      const rule = decided[n] ?? UNDECIDED;
      if (rule === UNDECIDED) {
        this.#undecided++;
        continue;
      }
      this.#after[rule] = (this.#after[rule] ?? 0) + 1;
      if (destinations[route] !== this.#destinations[rule]) this.#addMoved(i - clicks.from, values[route] ?? "", rule);
    }
    for (const [n, route] of values.entries()) {
      if (before[n]) this.#before.set(route, (this.#before.get(route) ?? 0) + (before[n] ?? 0));
    }
    this.#position += clicks.to - clicks.from;
  }

  result(): BacktestData {
    const clicks = [...this.#before.values()].reduce((sum, count) => sum + count, 0);
    const samples = this.#samples.kept;
    return { clicks, moved: this.#moved, undecided: this.#undecided, rules: this.#rules(), samples };
  }

  #addMoved(offset: number, route: string, rule: number): void {
    this.#moved++;
    this.#samples.add(() => ({
      position: this.#position + offset,
      before: this.#loggedUrl(route),
      after: this.#tried.routing[rule]?.to ?? this.#tried.url,
    }));
  }

  /** @param route  as stored, `<revision>.<rule>` */
  #loggedUrl(route: string): string {
    const [revision, rule = ""] = route.split(".");
    const link = this.#revisionOf(Number(revision));
    return (rule === "" ? link?.url : link?.routing[Number(rule)]?.to) ?? "";
  }

  #rules(): RuleChange[] {
    const counts = Array.from(this.#before, ([value, human]) => ({ value, human, nonHuman: 0 }));
    const before = tallyByKey(counts, linkGroupings({ routeKeysOf: this.#routes, address: "" })("rule"), true);
    const tried = [...this.#tried.routing.map((rule) => canonicalText(rule.if)), DEFAULT_RULE_KEY];
    const changes = tried.map((rule, index) => {
      return { rule, before: before.get(rule)?.human ?? 0, after: this.#after[index] ?? 0 };
    });
    for (const rule of tried) before.delete(rule);
    return [...changes, ...bucketsOf(before, true).map(({ key, clicks }) => ({ rule: key, before: clicks, after: 0 }))];
  }
}

/** Keeps a few samples of a long sequence, evenly spread over it. Pure. */
class SpreadSamples<T> {
  readonly #max: number;
  #kept: T[] = [];
  /** One of every `#every` items is kept. */
  #every = 1;
  #seen = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Samples in order of arrival: at least half of `max`, if that many were added. */
  get kept(): T[] {
    return this.#kept;
  }

  add(make: () => T): void {
    if (this.#seen++ % this.#every > 0) return;
    this.#kept.push(make());
    if (this.#kept.length <= this.#max) return;
    this.#kept = this.#kept.filter((_, index) => index % 2 === 0);
    this.#every *= 2;
  }
}
