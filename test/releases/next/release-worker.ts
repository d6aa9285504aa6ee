/** The next release, which writes its new field, and can also group by it, as `way`. */
import { CLICK_TEXTS } from "../../../src/core/clicks/facts.ts";
import { GROUPING_RULES } from "../../../src/core/clicks/counting/groupings.ts";
import type { Visitor } from "../../../src/core/visitors/visitor.ts";
import worker, { AccountFeed, LinkClicks } from "../release-worker.ts";

Object.assign(CLICK_TEXTS, { source: ({ visit }: { visit: Visitor }) => visit.source });
Object.assign(GROUPING_RULES, { way: { field: "source", key: (value: string) => value || "none" } });

export { AccountFeed, LinkClicks };
export default worker;
