/** The operator's command on the data of a development server, in this process. */
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";

import { main } from "../../src/cli/admin.ts";

/** @returns what it printed @throws Error when it did not end with 0 */
export async function runAdmin(folder: string, ...args: string[]): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await main([...args, "--persist-to", folder], { stdout, stderr, env: process.env });
  stdout.end();
  stderr.end();
  const [said, noted] = await printed;
  if (code !== 0) throw new Error(`admin ${args.join(" ")} ended with ${code}: ${noted}`);
  return said;
}
