/** Visitors and conditions for the tests of core: somebody nothing is known of, and what the schema makes of a rule. */
import { Condition } from "../../../src/core/contract/routing-rules.ts";
import type { RuleCondition } from "../../../src/core/links/routing.ts";
import { parseQuery, type Visitor } from "../../../src/core/visitors/visitor.ts";
import { NO_UTM } from "../../../src/core/visitors/utm.ts";

/** Every fact that can be unknown is. */
const UNKNOWN_VISITOR: Visitor = {
  country: "XX",
  continent: null,
  region: null,
  city: null,
  device: "other",
  os: "other",
  browser: "other",
  language: null,
  referrer: null,
  source: "link",
  query: new Map(),
  at: Date.UTC(2026, 10, 21, 9),
  splitPoint: null,
  ...NO_UTM,
};

/** What is known of a visitor; the query as text. */
export type VisitorFacts = Partial<Omit<Visitor, "query">> & { search?: string };

export function visitor({ search = "", ...facts }: VisitorFacts = {}): Visitor {
  return { ...UNKNOWN_VISITOR, ...facts, query: parseQuery(search) };
}

/** A condition as it is stored once written. */
export function parsedCondition(condition: unknown): RuleCondition {
  return Condition.parse(condition);
}
