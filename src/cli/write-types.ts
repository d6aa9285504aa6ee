/**
 * `npm run types`, which `npm ci` runs: writes the types that git does not keep. Those of the bindings follow from
 * `wrangler.toml`, those of the client from the OpenAPI document.
 */
import { writeFile } from "node:fs/promises";
import { devNull } from "node:os";
import { join, resolve } from "node:path";

import { openApiDocument } from "../api/openapi/openapi.ts";
import { v1Routes } from "../api/urls.ts";
import { clientTypes } from "./client-types.ts";
import { runWrangler } from "./wrangler.ts";

const SRC = resolve(import.meta.dirname, "..");

await Promise.all([
  writeFile(join(SRC, "client/api-types.ts"), clientTypes(openApiDocument(v1Routes))),
  // Secrets of `.env` files are not bindings of every deployment.
  runWrangler([
    "types",
    join(SRC, "env.d.ts"),
    "--include-runtime=false",
    "--strict-vars=false",
    "--env-file",
    devNull,
  ]),
]);
