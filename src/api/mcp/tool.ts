/** The definition of a tool, and the context in which it runs. */
import { type Context, Hono, type MiddlewareHandler } from "hono";
import * as z from "zod";

import type { Scope } from "../../core/account.ts";
import { OTHER_KEY } from "../../core/clicks/counting/groupings.ts";
import type { Backtest } from "../../core/contract/backtests.ts";
import type { ErrorBody } from "../../core/contract/errors.ts";
import type { Link } from "../../core/contract/links.ts";
import type { Resolution } from "../../core/contract/resolutions.ts";
import type { Stats } from "../../core/contract/stats.ts";
import { IDEMPOTENCY_KEY_MAX_CHARS, RULES_MAX } from "../../core/limits.ts";
import type { ApiEnv } from "../context.ts";
import { respondWithError } from "../middleware/errors.ts";

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

interface ApiRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below `/v1`. */
  path: string;
  /** Undefined members are not sent; items of an array are sent one by one. */
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface ApiReply {
  /** Null if the response has none. */
  body: unknown;
  headers: Headers;
}

/** The revision of the link in a reply, from its ETag. */
export function revisionOf({ headers }: ApiReply): number {
  return Number(headers.get("ETag")?.replaceAll('"', ""));
}

/** @throws RefusedByApi */
export type CallApi = (request: ApiRequest) => Promise<ApiReply>;

/** An error response of the API. */
export class RefusedByApi extends Error {
  readonly detail: ErrorBody["error"];
  readonly retryAfter: string | null;

  constructor({ error }: ErrorBody, retryAfter: string | null) {
    super(error.message);
    this.detail = error;
    this.retryAfter = retryAfter;
  }
}

/** The original request on whose behalf an API request is made. No such request can come from outside. */
const onBehalfOf = new WeakMap<Request, Context<ApiEnv>>();

const asCaller: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const outer = onBehalfOf.get(c.req.raw);
  if (!outer) throw new Error("a request in this process has no caller");
  c.set("requestId", outer.var.requestId);
  c.set("hosts", outer.var.hosts);
  c.set("authenticate", () => Promise.resolve(outer.var.caller));
  await next();
};

let routed: Hono<ApiEnv> | null = null;

/**
 * In-process access to the API for tools: calls the `/v1` routes themselves. Scopes, limits, quotas, validation and
 * error messages are therefore the API's own. A tool cannot do anything that its key could not do by REST.
 */
export function inProcessApi(c: Context<ApiEnv>, v1Routes: Hono<ApiEnv>): CallApi {
  routed ??= new Hono<ApiEnv>().use(asCaller).route("/v1", v1Routes).onError(respondWithError);
  const app = routed;
  return async (wanted) => {
    const request = requestFor(c.var.hosts.baseUrl, wanted);
    onBehalfOf.set(request, c);
    const response = await app.fetch(request, c.env, c.executionCtx);
    const text = await response.text();
    const body: unknown = text === "" ? null : JSON.parse(text);
    if (!response.ok) throw new RefusedByApi(body as ErrorBody, response.headers.get("Retry-After"));
    return { body, headers: response.headers };
  };
}

function requestFor(baseUrl: string, { method, path, query = {}, body, headers }: ApiRequest): Request {
  const url = new URL(`${baseUrl}/v1${path}`);
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) url.searchParams.append(name, String(each));
    }
  }
  return new Request(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Shortens results to a length that an agent can read. Totals stay correct. */

export const TOOL_BUCKETS_MAX = 100;
/** Rules of a backtest in addition to those that were sent. */
const OTHER_RULES_MAX = 20;
const SAMPLES_MAX = 5;
/** A rule may have 64 KiB, and its text three times as much. Its first characters are enough to identify it. */
const RULE_MAX_CHARS = 200;
const SAMPLE_URL_MAX_CHARS = 1_000;

/** Omits `unique_visitors` of the rest: a visitor in two buckets counts once, so the buckets cannot be added up. */
export function shortStats<Answer extends Stats>(stats: Answer): Answer {
  if (stats.buckets.length <= TOOL_BUCKETS_MAX) return stats;
  const { kept, rest } = divided(stats.buckets, ({ key }) => key, TOOL_BUCKETS_MAX - 1);
  return { ...stats, buckets: [...kept, { key: OTHER_KEY, clicks: sum(rest.map(({ clicks }) => clicks)) }] };
}

/** @param sent  number of rules that were tried: they come first, and all are kept */
export function shortBacktest(backtest: Backtest, sent: number): Backtest {
  const samples = backtest.samples.slice(0, SAMPLES_MAX).map(({ seq, before, after }) => {
    return { seq, before: cut(before, SAMPLE_URL_MAX_CHARS), after: cut(after, SAMPLE_URL_MAX_CHARS) };
  });
  return { ...backtest, samples, rules: shortRules(backtest.rules, sent + OTHER_RULES_MAX) };
}

function shortRules(all: Backtest["rules"], most: number): Backtest["rules"] {
  const withShortText = (row: Backtest["rules"][number]) => ({ ...row, rule: cut(row.rule, RULE_MAX_CHARS) });
  if (all.length <= most) return all.map(withShortText);
  const { kept, rest } = divided(all, ({ rule }) => rule, most - 1);
  const other = {
    rule: OTHER_KEY,
    before: sum(rest.map(({ before }) => before)),
    after: sum(rest.map(({ after }) => after)),
  };
  return [...kept.map(withShortText), other];
}

export function shortResolution(resolution: Resolution): Resolution {
  const { rule } = resolution;
  const trace = resolution.trace.map((step) => ({ ...step, rule: cut(step.rule, RULE_MAX_CHARS) }));
  return { ...resolution, rule: rule === null ? null : cut(rule, RULE_MAX_CHARS), trace };
}

/** The backtest of a link that is not open: no rule decides, and all clicks go elsewhere. */
export function backtestOfClosed(backtest: Backtest): Backtest {
  const rules = backtest.rules.map((rule) => ({ ...rule, after: 0 }));
  return { ...backtest, moved: backtest.clicks, undecided: 0, rules, samples: [] };
}

/** A row `other` always belongs to the rest, wherever it is: there must not be two. */
function divided<Row>(rows: readonly Row[], nameOf: (row: Row) => string, most: number): { kept: Row[]; rest: Row[] } {
  const named = rows.filter((row) => nameOf(row) !== OTHER_KEY);
  const kept = named.slice(0, most);
  return { kept, rest: [...named.slice(most), ...rows.filter((row) => nameOf(row) === OTHER_KEY)] };
}

/** Shortens a text, never within a character. */
function cut(text: string, mostChars: number): string {
  return text.length <= mostChars ? text : `${text.slice(0, mostChars - 1).toWellFormed()}…`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
