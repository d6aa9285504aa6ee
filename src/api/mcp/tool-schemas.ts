/** Tools as `tools/list` shows them, with JSON Schemas made of the contract's. */
import type { JSONValue, Tool as ListedTool } from "@modelcontextprotocol/server";
import { z } from "zod";

import { schemaWithDefinitions, type SchemaUse } from "../openapi/json-schemas.ts";
import type { JsonSchema } from "../openapi/openapi-document.ts";
import type { Tool, ToolEffect } from "./tool.ts";

const ANNOTATIONS: Record<ToolEffect, NonNullable<ListedTool["annotations"]>> = {
  reads: { readOnlyHint: true, openWorldHint: false },
  creates: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  // The revision that it must name has passed when it comes again.
  changes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  destroys: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

const known = new WeakMap<Tool, ListedTool>();

export function listedTool(tool: Tool): ListedTool {
  const listed = known.get(tool) ?? describedTool(tool);
  known.set(tool, listed);
  return listed;
}

function describedTool({ name, title, description, effect, input, output }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: objectSchema(input, "request"),
    outputSchema: objectSchema(output, "response"),
    annotations: { title, ...ANNOTATIONS[effect] },
  };
}

/** Without the name that a contract's schema has: it would make the whole a reference, and hosts expect an object. */
function objectSchema({ shape }: z.ZodObject, use: SchemaUse): ListedTool["inputSchema"] {
  const schema = schemaWithDefinitions(z.strictObject(shape), use);
  // As plain JSON: the SDK's type of a schema and zod's own are not the same.
  const {
    $schema: _,
    $defs,
    ...own
  }: ListedTool["inputSchema"] & Definitions = JSON.parse(JSON.stringify(schema), withOneDescription);
  if ($defs?.["PlainCondition"] === undefined) return { ...own, ...($defs && { $defs }) };
  return { ...own, $defs: { ...$defs, PlainCondition: SAME_CONDITIONS } };
}

/**
 * What may be null is described by the member itself: the description of the value in it would come on top. Of values that
 * are no schemas, none has both members.
 */
function withOneDescription(_key: string, schema: JsonSchema | null): JsonSchema | null {
  if (schema?.description === undefined || schema.anyOf === undefined) return schema;
  return { ...schema, anyOf: schema.anyOf.map(withoutDescription) };
}

function withoutDescription(schema: JsonSchema): JsonSchema {
  const { description: _, ...rest } = schema;
  return rest;
}

interface Definitions {
  $defs?: Record<string, JSONValue>;
}

/** What stands under `not` is told by the condition around it; a second time it would be a tenth of all that agents read. */
const SAME_CONDITIONS = { type: "object", description: "The same as a Condition, without `not`." };
