/** The next release, which can also group by its new field, as `way`. */
import { GROUPING_RULES } from "../../../src/core/clicks/groupings.ts";
import worker, { AccountFeed, LinkClicks } from "../release-worker.ts";

Object.assign(GROUPING_RULES, { way: { field: "source", key: (value: string) => value || "none" } });

export { AccountFeed, LinkClicks };
export default worker;
