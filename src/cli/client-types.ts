/**
 * The client's types (`src/client/api-types.ts`): openapi-typescript makes them of the part of the OpenAPI document that
 * they need. It lies in the workspace of the generated clients, because it needs an older TypeScript.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";

import type { openApiDocument } from "../api/openapi/openapi.ts";
import { ERRORS } from "../core/errors.ts";

const CLIENTS = resolve(import.meta.dirname, "../../test/clients");
const HEADER = "// Written by `npm run build`: schemas, and the parameters of operations.\n";

type OpenApiDocument = ReturnType<typeof openApiDocument>;

export async function clientTypes(document: OpenApiDocument): Promise<string> {
  const { resolve: resolveModule } = createRequire(join(CLIENTS, "package.json"));
  const generator = join(dirname(resolveModule("openapi-typescript/package.json")), "bin/cli.js");
  const child = spawn(process.execPath, [generator, "--root-types", "--root-types-no-schema-prefix"], {
    cwd: CLIENTS,
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(neededPart(document)));
  return HEADER + (await text(child.stdout));
}

/** Without it the file is ten times as long: every response of every operation, with its headers and examples. */
function neededPart({ openapi, info, paths, components }: OpenApiDocument): object {
  const operations = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, onlyParameters(operation)])),
  ]);
  const schemas = { ...components.schemas, ErrorCode: { type: "string", enum: Object.keys(ERRORS) } };
  return { openapi, info, paths: Object.fromEntries(operations), components: { schemas: withoutExamples(schemas) } };
}

function onlyParameters({ operationId, parameters = [] }: { operationId?: string; parameters?: readonly object[] }) {
  const described = parameters.filter((parameter) => !("$ref" in parameter)).map(withoutExamples);
  return { operationId, parameters: described, responses: { default: { description: "" } } };
}

function withoutExamples(value: object): object {
  const keys = new Set(["example", "examples"]);
  return JSON.parse(JSON.stringify(value, (key, part: unknown) => (keys.has(key) ? undefined : part))) as object;
}
