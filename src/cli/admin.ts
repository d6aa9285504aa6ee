/**
 * The operator's command line. `--local` (the default) works on the development database, `--remote` on the deployed one;
 * the commands are in `admin/`.
 */
import { adminProgram } from "./admin/program.ts";

try {
  await adminProgram().parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
