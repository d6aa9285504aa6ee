/**
 * Writes the first migration: the statements of `schema.sql` without comments, each on one line. D1's API splits them
 * on the server and cuts multi-line triggers, and comments with quotes or semicolons.
 * https://github.com/cloudflare/workers-sdk/issues/15690 and /4713
 */
import { readFileSync, writeFileSync } from "node:fs";

import { Command } from "@commander-js/extra-typings";

import { EXIT, runCommand, SetupError } from "./command.ts";
import { splitStatements } from "./deployment/additive-migrations.ts";

const MIGRATION = "migrations/0001_initial.sql";
const command = () =>
  new Command("node src/cli/initial-migration.ts")
    .description(`Write ${MIGRATION}`)
    .option("--check", "fail if it does not match schema.sql, and write nothing");

await runCommand(command, async ({ check }) => {
  const statements = splitStatements(readFileSync("schema.sql", "utf8"));
  const wanted = statements.map((statement) => `${statement};\n`).join("");
  if (!check) writeFileSync(MIGRATION, wanted);
  else if (readFileSync(MIGRATION, "utf8") !== wanted)
    throw new SetupError("schema.sql has changed. Run: node src/cli/initial-migration.ts", EXIT.failed);
});
