/** Visitors and conditions for the tests of core: somebody nothing is known of, and what the schema makes of a rule. */
import { Condition } from "../../src/core/contract.ts";
import type { Condition as RuleCondition } from "../../src/core/routing.ts";
import type { Visitor } from "../../src/core/visitor.ts";

/** Every fact that can be unknown is. */
const STRANGER: Visitor = {
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
  search: "",
  at: Date.UTC(2026, 10, 21, 9),
  point: null,
};

export function visitor(facts: Partial<Visitor> = {}): Visitor {
  return { ...STRANGER, ...facts };
}

/** A condition as it is stored once written. */
export function written(condition: unknown): RuleCondition {
  return Condition.parse(condition);
}
