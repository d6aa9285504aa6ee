/** The OpenAPI document against the rules that Redocly recommends. */
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const REDOCLY = join(import.meta.dirname, "node_modules/@redocly/cli/bin/cli.js");
const DOCUMENT = resolve(import.meta.dirname, "../../dist/openapi.json");

test("Redocly suggests no improvements to the OpenAPI document", async () => {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_NOTIFICATIONS: "true" };
  const args = [REDOCLY, "lint", DOCUMENT, "--extends=recommended", "--format=json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env }).catch(
    (failed: { stdout: string }) => failed,
  );
  expect(JSON.parse(stdout).problems).toEqual([]);
});
