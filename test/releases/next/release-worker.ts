/** The next release, which can also group by its new field, as `way`. */
import { GROUPING_KEYS } from "../../../src/core/clicks/stats.ts";
import worker, { AccountFeed, LinkClicks } from "../release-worker.ts";

Object.assign(GROUPING_KEYS, { way: { field: "source", key: (value: string) => value || "none" } });

export { AccountFeed, LinkClicks };
export default worker;
