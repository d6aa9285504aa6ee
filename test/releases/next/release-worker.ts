/** The next release, which writes its new field, and can also group by it, as `way`. */
import { FIELD_TEXTS } from "../../../src/core/clicks/batch-builder.ts";
import type { NewClick } from "../../../src/core/clicks/facts.ts";
import { GROUPING_RULES } from "../../../src/core/clicks/groupings.ts";
import worker, { AccountFeed, LinkClicks } from "../release-worker.ts";

Object.assign(FIELD_TEXTS, { source: ({ visit }: NewClick) => visit.source });
Object.assign(GROUPING_RULES, { way: { field: "source", key: (value: string) => value || "none" } });

export { AccountFeed, LinkClicks };
export default worker;
