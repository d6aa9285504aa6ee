/** The definition of a tool, and the context in which it runs. */
import type { Context } from "hono";
import * as z from "zod";

import type { Scope } from "../../core/account.ts";
import type { Link } from "../../core/contract/links.ts";
import { IDEMPOTENCY_KEY_MAX_CHARS, RULES_MAX } from "../../core/limits.ts";
import type { ApiEnv } from "../context.ts";
import type { CallApi } from "./in-process-api.ts";

/** The effects for which hosts request confirmation before an agent may call a tool. */
export type ToolEffect = "reads" | "creates" | "changes" | "destroys";

export interface ToolContext {
  c: Context<ApiEnv>;
  api: CallApi;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The tool is hidden from keys that lack any of these scopes. */
  scopes: readonly Scope[];
  effect: ToolEffect;
  input: z.ZodObject;
  output: z.ZodObject;
  /** How to request a shorter result; for tools whose result may be too long for an agent. */
  shorter?: string;
  /** @param args  valid for `input`, as sent @throws RefusedByApi, ApiError */
  run: (args: never, context: ToolContext) => Promise<object>;
}

/** Ties the arguments of `run` to `input`, and its result to `output`. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Omit<Tool, "run" | "input" | "output"> & {
    input: Input;
    output: Output;
    run: (args: z.input<Input>, context: ToolContext) => Promise<z.output<Output>>;
  },
): Tool {
  return tool;
}

/** Items of a list in one result, all of which an agent has to read. */
export const TOOL_PAGE_MAX = { default: 20, most: 50 } as const;

/** Part of a path: `..` would lead to another route. @param source  where agents find it */
export function pathId(of: string, example: string, source: string) {
  return z
    .string()
    .regex(/^[0-9A-Za-z_]{1,64}$/, `must be the id of a ${of}, such as ${example}`)
    .meta({ description: `ID of the ${of} (${example.slice(0, example.indexOf("_") + 1)}...), ${source}.` });
}

export const LinkIdIn = pathId(
  "link",
  "lnk_01kajm2t4g8q5v7w9x3y6z1a2b",
  "from find_links, which also finds links by short URL",
);

export const RevisionIn = z
  .int()
  .min(1)
  .meta({ description: "The revision from get_link. If the link has changed since, the call fails." });

/** Sent as a header, which cannot hold every text. */
export const IdempotencyKey = z
  .string()
  .max(IDEMPOTENCY_KEY_MAX_CHARS)
  .regex(/^[!-~]+$/, "must be printable ASCII characters without spaces")
  .optional()
  .meta({
    description: "Text without spaces. Retries with it and the same arguments within a day create nothing twice.",
  });

export function idempotencyHeader(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { "Idempotency-Key": key };
}

/**
 * Rules without a schema of their conditions: agents read the schemas of all tools, and that of a rule is by far the
 * longest. The full schema is in create_link and backtest_change, where agents write rules. The API validates them
 * anyway.
 */
export const BriefRouting = z
  .array(z.looseObject({ if: z.looseObject({}), to: z.string() }))
  .max(RULES_MAX)
  // Stated in create_link's schema.
  .meta({ maxItems: undefined }) as unknown as z.ZodType<Rules, Rules>;

type Rules = Link["routing"];

export function pageLimit(of: string) {
  return z
    .int()
    .min(1)
    .max(TOOL_PAGE_MAX.most)
    .optional()
    .meta({
      description: `Maximum number of ${of}. Defaults to ${TOOL_PAGE_MAX.default}.`,
    });
}

export function linkPath(id: string): string {
  return `/links/${id}`;
}
