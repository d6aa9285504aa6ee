/** `npm run admin` within this process: exit codes and output. */
import { PassThrough } from "node:stream";

import { expect, test } from "vitest";

import { main } from "../../src/cli/admin.ts";

async function admin(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await main([...args, "--persist-to", "/dev/null"], { stdout, stderr, env: {} });
  return { code, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}

test.each([
  [["--help"], { code: 0, stdout: expect.stringMatching(/^Usage: npm run admin/), stderr: "" }],
  [["accounts"], { code: 2, stdout: "", stderr: expect.stringContaining("Did you mean account?") }],
  [
    ["doctor", "--url", "ftp:"],
    { code: 1, stdout: "", stderr: "--url must be the URL of the deployment, such as https://hop.example.com\n" },
  ],
  [["doctor"], { code: 1, stdout: expect.stringContaining("The development database does not exist yet"), stderr: "" }],
])("%j", async (args, ended) => {
  expect(await admin(...args)).toEqual(ended);
});
