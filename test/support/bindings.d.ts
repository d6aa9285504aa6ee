import type { D1Migration } from "cloudflare:test";

declare global {
  namespace Cloudflare {
    /** Bindings that the test configuration adds to the Worker's. */
    interface Env {
      /** Without accounts; without tables until a test applies the migrations. */
      NEW_DB: D1Database;
      /** Without tables. */
      EMPTY_DB: D1Database;
      /** For links; without tables if all links are in `DB`, until a test requests them (link-databases.ts). */
      LINKS_1: D1Database;
      LINKS_2: D1Database;
      LINKS_3: D1Database;
      TEST_MIGRATIONS: D1Migration[];
      /** The text of schema.sql. */
      TEST_SCHEMA: string;
    }
  }
}
