/** Migrations of the objects that the next release might have. */
import { hasTable } from "../../../src/clicks/schema.ts";
import { SCHEMA_MIGRATIONS as MIGRATIONS } from "../../../src/clicks/schema-migrations.ts";

export const SCHEMA_MIGRATIONS: typeof MIGRATIONS = [
  ...MIGRATIONS,
  (sql) => {
    if (hasTable(sql, "summaries")) sql.exec("ALTER TABLE summaries ADD COLUMN source BLOB");
    if (hasTable(sql, "events")) sql.exec("ALTER TABLE events ADD COLUMN later TEXT");
  },
];
