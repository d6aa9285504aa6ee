/** Tools in the form of `tools/list`, with JSON Schemas from the contract. */
import type { JSONValue, Tool as ListedTool } from "@modelcontextprotocol/server";
import * as z from "zod";

import { schemaWithDefinitions, type SchemaUse } from "../openapi/json-schemas.ts";
import type { JsonSchema } from "../openapi/openapi-document.ts";
import type { Tool, ToolEffect } from "./tool.ts";

const ANNOTATIONS: Record<ToolEffect, NonNullable<ListedTool["annotations"]>> = {
  reads: { readOnlyHint: true, openWorldHint: false },
  creates: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  // Idempotent, because a repeated call names a revision that is outdated by then.
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

/** Drops the contract schema's name: with it the whole schema would become a reference, and hosts expect an object. */
function objectSchema({ shape }: z.ZodObject, use: SchemaUse): ListedTool["inputSchema"] {
  const schema = schemaWithDefinitions(z.strictObject(shape), use);
  // Plain JSON, because the SDK's type of a schema differs from zod's.
  const {
    $schema: _,
    $defs,
    ...own
  }: ListedTool["inputSchema"] & Definitions = JSON.parse(JSON.stringify(schema), withOneDescription);
  if ($defs?.["PlainCondition"] === undefined) return { ...own, ...($defs && { $defs }) };
  return { ...own, $defs: { ...$defs, PlainCondition: SAME_CONDITIONS } };
}

/**
 * Removes the descriptions of a nullable value's alternatives: the member itself is already described. Values that are
 * not schemas never have both members.
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

/**
 * The enclosing condition already describes the members below `not`. Repeating them would add a tenth to what agents
 * read.
 */
const SAME_CONDITIONS = { type: "object", description: "Same as Condition, without `not`." };
