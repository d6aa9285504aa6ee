/** Over how many databases tests spread links: `DATABASES=4 npm test` runs all of them over four. */
import { parseDatabaseMap, spreadBuckets } from "../../src/store/directory/database-map.ts";

const { DATABASES = "1" } = process.env;
if (DATABASES !== "1" && DATABASES !== "4") throw new Error("DATABASES must be 1 or 4");

/** `LINK_DATABASES` for `DB`, `LINKS_1`, `LINKS_2` and `LINKS_3`. */
export const OVER_FOUR_DATABASES = spreadBuckets(4);

const setting = DATABASES === "4" ? OVER_FOUR_DATABASES : undefined;

/** Bindings of the databases of servers that a test starts, the home database first. */
export const TESTED_DATABASES = parseDatabaseMap(setting).databases;

/** Their setting, for the variables of a Worker: none if links are in one database. */
export const TESTED_SETTING: Record<string, string> = setting === undefined ? {} : { LINK_DATABASES: setting };
