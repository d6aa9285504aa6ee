import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { migrateOtherDatabases } from "./link-databases.ts";

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
// They take a tenth of a second for each file. If links are in one database, tests of several request them.
if (env.LINK_DATABASES !== undefined) await migrateOtherDatabases();
