/** Over how many databases tests spread links: `DATABASES=4 npm test` runs all of them over four. */
import { databaseNames, spreadBuckets } from "./spread-buckets.ts";

const COUNT = Number(process.env.DATABASES ?? 1);
if (COUNT !== 1 && COUNT !== 4) throw new Error("DATABASES must be 1 or 4");

/** Those that tests of several databases have, the home database first. */
export const FOUR_DATABASES = databaseNames(4);

/** `LINK_DATABASES` for all four. */
export const OVER_FOUR_DATABASES = spreadBuckets(FOUR_DATABASES.length) ?? "";

/** Of the servers that a test starts, when it says nothing else. */
export const TESTED_DATABASES = databaseNames(COUNT);

/** The setting that goes with these, for the variables of a Worker. */
export const TESTED_SETTING = COUNT === 1 ? {} : { LINK_DATABASES: OVER_FOUR_DATABASES };
