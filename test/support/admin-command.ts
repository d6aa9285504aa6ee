/** The operator's command, in this process. */
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";

import { main } from "../../src/cli/admin.ts";

/** Runs it on the data of a development server. */
export function runAdmin(folder: string, ...args: string[]): Promise<string> {
  return runAdminWith({}, [...args, "--persist-to", folder]);
}

/**
 * @param environment  variables in addition to those of this process
 * @returns its output @throws Error when it did not end with 0
 */
export async function runAdminWith(environment: Record<string, string>, args: readonly string[]): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await main(args, { stdout, stderr, env: { ...process.env, ...environment } });
  stdout.end();
  stderr.end();
  const [said, noted] = await printed;
  if (code !== 0) throw new Error(`admin ${args.join(" ")} ended with ${code}: ${noted}`);
  return said;
}
