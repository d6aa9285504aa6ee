/** What a tool is, and what it is given. */
import type { Context } from "hono";
import { z } from "zod";

import type { Scope } from "../../core/account.ts";
import type { Link } from "../../core/contract/links.ts";
import { IDEMPOTENCY_KEY_MAX_CHARS, RULES_MAX } from "../../core/limits.ts";
import type { ApiEnv } from "../context.ts";
import type { CallApi } from "./in-process-api.ts";

/** What hosts ask people about before they let an agent call a tool. */
export type ToolEffect = "reads" | "creates" | "changes" | "destroys";

export interface ToolContext {
  c: Context<ApiEnv>;
  api: CallApi;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** A key that lacks one of them does not see the tool. */
  scopes: readonly Scope[];
  effect: ToolEffect;
  input: z.ZodObject;
  output: z.ZodObject;
  /** How a question is asked that has a shorter answer; for tools whose answer may be too long for an agent. */
  shorter?: string;
  /** @param args  fit `input`, as they were sent @throws RefusedByApi, ApiError */
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

/** Items of a list in one answer: an agent has to read them all. */
export const TOOL_PAGE_MAX = { default: 20, most: 50 } as const;

/** As part of a path: `..` would lead to another route. */
export const LinkIdIn = z
  .string()
  .regex(/^[0-9A-Za-z_]{1,64}$/, "must be the id of a link, such as lnk_01kajm2t4g8q5v7w9x3y6z1a2b")
  .meta({ description: "Id of the link (lnk_...), from find_links, which finds it by its short URL too." });

export const RevisionIn = z
  .int()
  .min(1)
  .meta({ description: "The revision that get_link answered. A link that has changed since is left as it is." });

/** It becomes a header, which does not hold every text. */
export const IdempotencyKey = z
  .string()
  .max(IDEMPOTENCY_KEY_MAX_CHARS)
  .regex(/^[!-~]+$/, "must be printable ASCII characters without spaces")
  .optional()
  .meta({
    description: "Text without spaces: sent again within a day with the same arguments, it makes no second link.",
  });

/**
 * Rules, without what conditions there are: agents read the schemas of all tools, and that of a rule is by far the longest.
 * Whole it stands where rules are made up, in create_link and backtest_change. The API checks them in any case.
 */
export const BriefRouting = z
  .array(z.looseObject({ if: z.looseObject({}), to: z.string() }))
  .max(RULES_MAX)
  // Said in create_link's schema.
  .meta({ maxItems: undefined }) as unknown as z.ZodType<Rules, Rules>;

type Rules = Link["routing"];

export function pageLimit(of: string) {
  return z
    .int()
    .min(1)
    .max(TOOL_PAGE_MAX.most)
    .optional()
    .meta({
      description: `Most ${of} in the answer; ${TOOL_PAGE_MAX.default} when omitted.`,
    });
}

export function linkPath(id: string): string {
  return `/links/${id}`;
}
