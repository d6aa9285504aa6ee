/**
 * `npm run types`, which `npm ci` runs: writes the types that git does not keep. Those of the bindings follow from
 * `wrangler.toml`, those of the client from the OpenAPI document.
 */
import { writeFile } from "node:fs/promises";
import { devNull } from "node:os";
import { join, resolve } from "node:path";

import { runCommand } from "./command.ts";
import { runWrangler } from "./wrangler.ts";

const SRC = resolve(import.meta.dirname, "..");
const BINDING_OPTIONS = ["--include-runtime=false", "--strict-vars=false"];
const USAGE = `Usage: npm run types

Write the generated types that are not committed.`;
/** Secrets of `.env` files are not bindings of every deployment. */
const NO_SECRETS = ["--env-file", devNull];

await runCommand(USAGE, {}, async () => {
  const bindings = runWrangler(["types", join(SRC, "env.d.ts"), ...BINDING_OPTIONS, ...NO_SECRETS]);
  const { openApiDocument } = await import("../api/openapi/openapi.ts");
  const { v1Routes } = await import("../api/urls.ts");
  const { clientTypes } = await import("./client-types.ts");
  await Promise.all([bindings, writeFile(join(SRC, "client/api-types.ts"), clientTypes(openApiDocument(v1Routes)))]);
});
