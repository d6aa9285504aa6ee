/**
 * The operator's command line. `--local` (the default) works on the development database, `--remote` on the deployed one;
 * the commands are in `admin/`.
 */
import { CommanderError } from "@commander-js/extra-typings";

import { adminProgram } from "./admin/program.ts";
import { EXIT } from "./deployment/setup-error.ts";

try {
  await adminProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage;
  else {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = EXIT.failed;
  }
}
