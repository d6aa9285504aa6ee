import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { migrateOtherDatabases } from "./link-databases.ts";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
// They take a tenth of a second of each file: where links are in one database, tests of several ask for them.
if (env.LINK_DATABASES !== undefined) await migrateOtherDatabases();
