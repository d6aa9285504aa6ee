/** Visitors and conditions for the tests of core: an unknown visitor, and conditions as the schema stores them. */
import { Condition } from "../../../src/core/contract/link-members.ts";
import type { RuleCondition } from "../../../src/core/links/routing.ts";
import { parseQuery, type Visitor } from "../../../src/core/visitors/visitor.ts";
import { NO_UTM } from "../../../src/core/visitors/utm.ts";

/** A visitor with every fact unknown that can be. */
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

/** Known facts of a visitor; the query as text. */
export type VisitorFacts = Partial<Omit<Visitor, "query">> & { search?: string };

export function visitor({ search = "", ...facts }: VisitorFacts = {}): Visitor {
  return { ...UNKNOWN_VISITOR, ...facts, query: parseQuery(search) };
}

/** A condition as it is stored. */
export function parsedCondition(condition: unknown): RuleCondition {
  return Condition.parse(condition);
}
