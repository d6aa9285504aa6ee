/** What a tool is, and what it is given. */
import type { Context } from "hono";
import type { z } from "zod";

import type { Scope } from "../../core/account.ts";
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
