/**
 * Logged outcomes of conditions that cannot be tested again. The log stores which `query` conditions of the link held
 * at the time of the visit. It also shows that the rule that decided held, and that the rules before it did not. Both
 * are found by the text of the condition or rule. Pure.
 */
import { boundedMemo } from "../memory/caches.ts";
import { CONDITIONS, type ConditionValues } from "../links/conditions.ts";
import { queryConditions, canonicalText, type RoutableLink, type RoutingRule } from "../links/routing.ts";
import { addRule, wordsFor } from "./outcome-table.ts";

/** Returns the link as it was under a revision; null if that is unknown. */
export type RevisionLookup = (revision: number) => Pick<RoutableLink, "url" | "routing"> | null;

/** Sets of tried rules that are known to have held or failed for the clicks of one route. */
interface KnownRules {
  held: Int32Array;
  failed: Int32Array;
}

/** A link may have had thousands of revisions, each with 64 KiB of rules. */
const REVISIONS_CACHED = 16;
const ROUTES_CACHED = 1_000;

export class LoggedRevisions {
  readonly #revisionOf: RevisionLookup;
  readonly #tried: readonly string[];

  /** @param routing  the rules to try */
  constructor(routing: readonly RoutingRule[], revisionOf: RevisionLookup) {
    this.#revisionOf = revisionOf;
    this.#tried = routing.map((rule) => canonicalText(rule.if));
  }

  /** Index of the `query` condition with this text in a revision; undefined if there is none. */
  queryIndex(revision: number, text: string): number | undefined {
    return this.#queryIndexes(String(revision)).get(text);
  }

  /** @param route  as stored, `<revision>.<rule>` */
  readonly rulesOf = boundedMemo(ROUTES_CACHED, (route): KnownRules => {
    const [revision = "", decidedRule = ""] = route.split(".");
    const decided = decidedRule === "" ? Infinity : Number(decidedRule);
    const indexes = this.#ruleIndexes(revision);
    const words = wordsFor(this.#tried.length);
    const known = { held: new Int32Array(words), failed: new Int32Array(words) };
    for (const [rule, text] of this.#tried.entries()) {
      const index = indexes.get(text) ?? Infinity;
      if (index < decided) addRule(known.failed, rule);
      else if (index === decided && index !== Infinity) addRule(known.held, rule);
    }
    return known;
  });

  readonly #queryIndexes = boundedMemo(REVISIONS_CACHED, (revision) => {
    const conditions = queryConditions(this.#routing(revision));
    return new Map(conditions.map((wanted, index) => [queryText(wanted), index]));
  });

  readonly #ruleIndexes = boundedMemo(REVISIONS_CACHED, (revision) => {
    return new Map(this.#routing(revision).map((rule, index) => [canonicalText(rule.if), index]));
  });

  #routing(revision: string): readonly RoutingRule[] {
    return this.#revisionOf(Number(revision))?.routing ?? [];
  }
}

export function queryText(wanted: ConditionValues["query"]): string {
  return CONDITIONS.query.canonicalText(wanted);
}
