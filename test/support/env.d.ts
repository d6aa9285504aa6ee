import type { D1Migration } from "cloudflare:test";

declare global {
  namespace Cloudflare {
    /** What the test configuration adds to the Worker's bindings. */
    interface Env {
      TEST_MIGRATIONS: D1Migration[];
      /** The text of schema.sql. */
      TEST_SCHEMA: string;
    }
  }
}
