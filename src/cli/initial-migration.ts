/**
 * Writes the first migration: the statements of `schema.sql` without comments, each on one line. D1's API splits them
 * on the server and cuts multi-line triggers, and comments with quotes or semicolons.
 * https://github.com/cloudflare/workers-sdk/issues/15690 and /4713
 */
import { readFileSync, writeFileSync } from "node:fs";

import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";

import { runCommand } from "./command.ts";
import { EXIT, SetupError } from "./deployment/setup-error.ts";

const MIGRATION = "migrations/0001_initial.sql";
const USAGE = `Usage: node src/cli/initial-migration.ts [--check]

  --check  fail if ${MIGRATION} does not match schema.sql, and write nothing`;

await runCommand(USAGE, { options: { check: { type: "boolean", default: false } } }, async ({ values: { check } }) => {
  const wanted = withoutLayout(readFileSync("schema.sql", "utf8"));
  if (!check) writeFileSync(MIGRATION, wanted);
  else if (readFileSync(MIGRATION, "utf8") !== wanted)
    throw new SetupError("schema.sql has changed. Run: node src/cli/initial-migration.ts", EXIT.failed);
});

function withoutLayout(sql: string): string {
  const bare = sql.replaceAll(/'(?:[^']|'')*'|(?:--[^\n]*|\s)+/g, (part) => (part.startsWith("'") ? part : " "));
  return splitSqlQuery(bare)
    .map((statement) => `${statement.replace(/;$/, "")};\n`)
    .join("");
}
