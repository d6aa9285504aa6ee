/** Steps of the objects as the next release might have them: one more each. */
import { hasTable, type SchemaMigration } from "../../../src/clicks/schema.ts";
import { FEED_MIGRATIONS as FEED, LINK_MIGRATIONS as LINK } from "../../../src/clicks/schema-migrations.ts";

export const LINK_MIGRATIONS: readonly SchemaMigration[] = [
  ...LINK,
  (sql) => {
    if (hasTable(sql, "summaries")) sql.exec("ALTER TABLE summaries ADD COLUMN source BLOB");
  },
];

export const FEED_MIGRATIONS: readonly SchemaMigration[] = [
  ...FEED,
  (sql) => void sql.exec("ALTER TABLE events ADD COLUMN later TEXT"),
];
