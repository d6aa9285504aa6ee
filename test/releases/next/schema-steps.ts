/** Steps of the objects as the next release might have them: one more each. */
import { hasTable, type Step } from "../../../src/clicks/schema.ts";
import { FEED_STEPS as FEED, LINK_STEPS as LINK } from "../../../src/clicks/schema-steps.ts";

export const LINK_STEPS: readonly Step[] = [
  ...LINK,
  (sql) => {
    if (hasTable(sql, "summaries")) sql.exec("ALTER TABLE summaries ADD COLUMN source BLOB");
  },
];

export const FEED_STEPS: readonly Step[] = [
  ...FEED,
  (sql) => void sql.exec("ALTER TABLE events ADD COLUMN later TEXT"),
];
