/**
 * Parses a request's body and query by the contract's schemas and reports all problems at once.
 * The order of checks is part of the API: media type, size and syntax; the repeated request; the plan; the values.
 */
import type { Context, MiddlewareHandler } from "hono";
import * as z from "zod";

import { problemsOf } from "../../core/contract/zod-problems.ts";
import { keyedDigest } from "../../core/derived-keys.ts";
import { ApiError, type Problem, validationFailed } from "../../core/errors.ts";
import { IDEMPOTENCY_KEY_MAX_CHARS, IDEMPOTENCY_TTL_HOURS, STORED_RESPONSES_MAX_BYTES } from "../../core/limits.ts";
import type { Caller } from "../../store/accounts/api-keys.ts";
import { findStoredResponse } from "../../store/directory/requests.ts";
import { signalOf } from "../../store/timeout.ts";
import { type ApiEnv, type JsonResponse, type ReplayableRequest, respondJson } from "../context.ts";
import { documented } from "../openapi/route-doc.ts";
import { type JsonBody, readJsonBody } from "./request-body.ts";

interface BodyChecks {
  /** The resource that the body creates or changes: its other members are read-only, not unknown. */
  resource?: z.ZodObject;
  /** Whether this body needs the Premium plan. */
  needsPremium?: (body: unknown) => boolean;
  /** The schema for the reference, if it differs from the one parsed here. */
  documentedAs?: z.ZodType;
  /** Limit of the body, if it differs from other requests. */
  maxBytes?: number;
  /** Rebuilds the first response to the same body. When omitted, the stored payload is the response. */
  restoreResponse?: (body: unknown, stored: unknown, context: RequestContext) => JsonResponse;
  /** Problems that the schema alone cannot detect. `fits` says whether the body fits the schema. */
  problems?: (body: unknown, context: RequestContext, env: Env, fits: boolean) => Problem[] | Promise<Problem[]>;
}

/** The caller, the hosts of the deployment, and the path's link if one was loaded. */
export type RequestContext = Pick<ApiEnv["Variables"], "hosts" | "caller"> & Partial<Pick<ApiEnv["Variables"], "link">>;

type ValidatedInput<Target extends string, S extends z.ZodType> = {
  in: { [K in Target]: z.input<S> };
  out: { [K in Target]: z.output<S> };
};

/** Parses and validates a JSON body. Returns the stored response to a POST whose Idempotency-Key is known. */
export function body<S extends z.ZodType<object>>(
  schema: S,
  { resource, needsPremium, documentedAs, restoreResponse = responseAsStored, problems, maxBytes }: BodyChecks = {},
): MiddlewareHandler<ApiEnv, string, ValidatedInput<"json", S>> {
  const read: MiddlewareHandler<ApiEnv, string, ValidatedInput<"json", S>> = async (c, next) => {
    const sent = await readJsonBody(c.req.raw, maxBytes);
    const parsed = sent.value;
    const restore = (stored: unknown) => restoreResponse(parsed, stored, c.var);
    // Before sign-in there is no account for which a response could be stored.
    const mayRepeat = c.req.method === "POST" && (c.var as Partial<ApiEnv["Variables"]>).caller !== undefined;
    const idempotentRequest = mayRepeat ? await idempotentRequestOf(c, sent, restore) : null;
    const first = idempotentRequest && (await replay(c, idempotentRequest));
    if (first) return first;
    c.set("idempotentRequest", idempotentRequest);
    if (needsPremium?.(parsed) && c.var.caller.plan !== "premium") throw new ApiError("plan_upgrade_required");
    const result = schema.safeParse(parsed);
    const more = (await problems?.(parsed, c.var, c.env, result.success)) ?? [];
    const others = [...sent.problems, ...more, ...unexpectedQueryProblems(c)];
    c.req.addValidatedData("json", dataOrThrow(result, others, resource));
    await next();
  };
  return documented(read, {
    body: documentedAs ?? schema,
    errors: [
      "invalid_json",
      "payload_too_large",
      "unsupported_media_type",
      "validation_failed",
      ...(needsPremium ? (["plan_upgrade_required"] as const) : []),
    ],
  });
}

/** Parses and validates the query string. Refuses unknown parameters, and repeated ones unless they are lists. */
export function query<S extends z.ZodObject>(schema: S): MiddlewareHandler<ApiEnv, string, ValidatedInput<"query", S>> {
  const lists = listNames(schema);
  const read: MiddlewareHandler<ApiEnv, string, ValidatedInput<"query", S>> = async (c, next) => {
    c.req.addValidatedData("query", readQuery(c, schema, lists));
    await next();
  };
  return documented(read, { query: schema, errors: ["validation_failed"] });
}

/** @throws ApiError validation_failed */
export function readQuery<S extends z.ZodObject>(
  c: Context<ApiEnv>,
  schema: S,
  lists: ReadonlySet<string> = listNames(schema),
): z.output<S> {
  const sent = Object.entries(c.req.queries());
  const repeated = sent.flatMap(([name, values]): Problem[] =>
    values.length > 1 && !lists.has(name)
      ? [{ path: name, code: "repeated", message: `${name} must be given once` }]
      : [],
  );
  const values = Object.fromEntries(sent.map(([name, all]) => [name, lists.has(name) ? all : all[0]]));
  return parseOrThrow(schema, values, repeated);
}

/** The parameters that may be repeated: those whose schema is an array. */
function listNames(schema: z.ZodObject): ReadonlySet<string> {
  const isList = (type: unknown): boolean =>
    type instanceof z.ZodArray || (type instanceof z.ZodOptional && isList(type.unwrap()));
  return new Set(Object.keys(schema.shape).filter((name) => isList(schema.shape[name])));
}

/** For routes without query parameters. */
export const noQuery: MiddlewareHandler<ApiEnv> = query(z.strictObject({}));

/** A parameter of the route's path. @throws Error when `urls.ts` mounts the route at a path without it */
export function pathParam(c: Context<ApiEnv>, name: string): string {
  const value = c.req.param(name);
  if (value === undefined) throw new Error(`This route needs :${name} in its path`);
  return value;
}

function unexpectedQueryProblems(c: Context<ApiEnv>): Problem[] {
  const result = z.strictObject({}).safeParse(c.req.query());
  return result.success ? [] : problemsOf(result.error);
}

/**
 * @param resource  as in `BodyChecks`
 * @throws ApiError validation_failed with the schema's problems and `more`
 */
export function parseOrThrow<S extends z.ZodType<object>>(
  schema: S,
  value: unknown,
  more: Problem[] = [],
  resource?: z.ZodObject,
): z.output<S> {
  return dataOrThrow(schema.safeParse(value), more, resource);
}

function dataOrThrow<T>(result: z.ZodSafeParseResult<T>, more: Problem[], resource?: z.ZodObject): T {
  const ofSchema = result.success ? [] : problemsOf(result.error, new Set(Object.keys(resource?.shape ?? {})));
  const paths = new Set(ofSchema.map(({ path }) => path));
  const problems = [...ofSchema, ...more.filter(({ code, path }) => code !== "invalid_key" || !paths.has(path))];
  if (!result.success || problems.length > 0) throw validationFailed(problems);
  return result.data;
}

const IDEMPOTENCY_KEY = new RegExp(`^[!-~]{1,${IDEMPOTENCY_KEY_MAX_CHARS}}$`);

function responseAsStored(_body: unknown, stored: unknown): JsonResponse {
  return stored as JsonResponse;
}

async function idempotentRequestOf(
  c: Context<ApiEnv>,
  body: JsonBody,
  restoreResponse: ReplayableRequest["restoreResponse"],
): Promise<ReplayableRequest | null> {
  const key = c.req.header("Idempotency-Key");
  if (key === undefined) return null;
  if (!IDEMPOTENCY_KEY.test(key)) {
    const message = `Idempotency-Key must be 1 to ${IDEMPOTENCY_KEY_MAX_CHARS} printable ASCII characters without spaces`;
    throw validationFailed([{ path: "Idempotency-Key", code: "invalid_value", message }]);
  }
  const [keyHash, hash] = await Promise.all([
    // A body may contain a password, and a client may compute its key from the body: no stored value may be a fast hash.
    keyedDigest(c.env, "request-key", key),
    keyedDigest(c.env, "request", `${c.req.method} ${c.req.path}\n${body.canonical()}`),
  ]);
  return { keyHash, requestHash: hash, restoreResponse };
}

/** `Idempotency-Key`: a repeated POST gets the first response, even if both are in flight at the same time. */

/** The stored first response to this request; null if the request is new. @throws ApiError idempotency_conflict */
async function replay(c: Context<ApiEnv>, request: ReplayableRequest): Promise<Response | null> {
  const stored = await findStoredResponse(c.env, c.var.caller, request);
  if (stored === null) return null;
  if (stored === "conflict") {
    throw conflict(`This Idempotency-Key was used for another request in the last ${IDEMPOTENCY_TTL_HOURS} hours.`);
  }
  const first = restored(request, stored.payload);
  return respondJson(c, { ...first, headers: { ...first.headers, "Idempotent-Replayed": "true" } });
}

/** The first request has taken effect, so the retry is neither executed again nor refused as invalid. */
function restored({ restoreResponse }: ReplayableRequest, payload: unknown): JsonResponse {
  try {
    return restoreResponse(payload);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw conflict("This request was already carried out. Its body is now invalid, so the response is not repeated.");
  }
}

function conflict(message: string): ApiError {
  return new ApiError("idempotency_conflict", message, { param: "Idempotency-Key" });
}

/**
 * Executes a POST. If two copies are in flight, the transaction commits one; the other fails and gets the response of
 * the first.
 */
export async function idempotent<Result extends Response>(
  c: Context<ApiEnv>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { idempotentRequest } = c.var;
    const first = idempotentRequest && (await replay(c, idempotentRequest));
    // The request's hash covers its path, so the stored response is of this route's type.
    if (first) return first as Result;
    throw signalOf(error) === "response_quota" ? responseQuotaExceeded(c.var.caller) : error;
  }
}

function responseQuotaExceeded({ plan }: Caller): ApiError {
  const most = `${STORED_RESPONSES_MAX_BYTES[plan]} bytes`;
  return new ApiError(
    "quota_exceeded",
    `Responses stored for Idempotency-Key take ${most} today, the limit of the ${plan} plan. The limit resets on the next UTC day.`,
    { param: "Idempotency-Key" },
  );
}

/** The members that a PATCH sent. `members` must name every member of `Shape`, or it does not compile. */
export function sentMembers<Shape extends object>(members: {
  [Member in keyof Shape]-?: Shape[Member] | undefined;
}): Partial<Shape> {
  const sent = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent) as Partial<Shape>;
}
