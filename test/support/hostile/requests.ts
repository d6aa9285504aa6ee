/** Requests for an operation: one that fits its description, and the same with hostile parts. */
import type { JsonSchema } from "../../../src/api/openapi/openapi-document.ts";
import { randomElement, randomInteger } from "../seeded-random.ts";
import { fittingValue, someOf, type Source } from "./fitting-values.ts";
import { HOSTILE_TEXTS, hostileJson, NAMES, withHostilePart } from "./hostile-values.ts";
import type { Operation } from "./operations.ts";

type Pairs = [name: string, text: string][];

export interface HostileRequest {
  operation: Operation;
  path: Pairs;
  query: Pairs;
  headers: Pairs;
  /** Undefined without one. */
  body: unknown;
}

/** Headers that the service reads of any request, in addition to those that an operation documents. */
const HEADERS = [
  "Accept",
  "Accept-Language",
  "Authorization",
  "Content-Encoding",
  "Content-Type",
  "Cookie",
  "Hoplink-Mode",
  "If-Match",
  "If-None-Match",
  "Last-Event-ID",
  "Mcp-Method",
  "MCP-Protocol-Version",
  "Origin",
  "Range",
  "Sec-Fetch-Site",
  "User-Agent",
];

const HEADER_TEXTS = [
  "*",
  "*/*;q=NaN,,;=",
  "text/csv",
  "application/x-ndjson",
  "application/problem+json",
  "text/event-stream;q=1e400",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "application/json; charset=utf-16",
  "gzip",
  "gzip, gzip",
  '"1", W/"1"',
  "bytes=0-,-1",
  "hoplink.session_token=%zz; =; a=%",
  "Bearer svc_live_",
  "test",
  ...HOSTILE_TEXTS,
];

export function fittingRequest(operation: Operation, source: Source): HostileRequest {
  const { fields, body, root, path } = operation;
  const optional = someOf(
    fields.filter(({ required }) => !required),
    source.chance,
  );
  const sent = [...fields.filter(({ required }) => required), ...optional];
  // `id` belongs to the resource before it in the path.
  const kind = /\/(\w+)\/\{id\}/.exec(path)?.[1] ?? "links";
  const id = source.known.get(`${kind}/id`) ?? "";
  const ofPath = { ...source, known: new Map([...source.known, ["id", id]]) };
  const pairsOf = (place: string): Pairs =>
    sent
      .filter((field) => field.in === place)
      .map(({ name, schema, example }) => {
        const described: JsonSchema = example === undefined ? schema : { ...schema, examples: [example] };
        return [name, String(fittingValue(described, name, ofPath, root))];
      });
  return {
    operation,
    path: pairsOf("path"),
    query: pairsOf("query"),
    headers: pairsOf("header"),
    body: body && fittingValue(body, "", source, root),
  };
}

/** The request with one to three changed places. */
export function hostileRequest(operation: Operation, source: Source): HostileRequest {
  let request = fittingRequest(operation, source);
  for (let changes = 1 + randomInteger(source.chance, 3); changes > 0; changes--)
    request = changed(request, source.chance);
  return request;
}

function changed(request: HostileRequest, chance: () => number): HostileRequest {
  const { path, query, headers, body } = request;
  const changes: (() => Partial<HostileRequest>)[] = [
    () => ({ query: changedQuery(query, chance) }),
    () => ({ headers: [...headers, [randomElement(chance, HEADERS), randomElement(chance, HEADER_TEXTS)]] }),
  ];
  if (query.length > 0) changes.push(...changes.slice(0, 1), ...changes.slice(0, 1));
  if (path.length > 0) changes.push(() => ({ path: replacedIn(path, chance) }));
  if (headers.length > 0) changes.push(() => ({ headers: replacedIn(headers, chance) }));
  if (body !== undefined)
    changes.push(...Array.from({ length: 5 }, () => () => ({ body: withHostilePart(body, chance) })));
  return { ...request, ...randomElement(chance, changes)() };
}

function changedQuery(query: Pairs, chance: () => number): Pairs {
  const text = randomElement(chance, HOSTILE_TEXTS);
  if (query.length > 0 && chance() < 0.7) return replacedIn(query, chance);
  const repeated = query.length > 0 && chance() < 0.5 ? randomElement(chance, query)[0] : randomElement(chance, NAMES);
  return [...query, [repeated, text]];
}

function replacedIn(pairs: Pairs, chance: () => number): Pairs {
  const at = randomInteger(chance, pairs.length);
  const hostile = (text: string) =>
    chance() < 0.3
      ? text + randomElement(chance, ["\u0000", "\ud800", ",", "%"])
      : randomElement(chance, HOSTILE_TEXTS);
  return pairs.map(([name, text], i) => [name, i === at ? hostile(text) : text]);
}

/** In the form that `fetch` takes. @param own  headers of the caller, which those of the request replace */
export function asSent({ operation, path, query, headers, body }: HostileRequest, own: Record<string, string>) {
  const parts = new Map(path);
  const target = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodedSegment(parts.get(name) ?? ""));
  const search = query.map(([name, text]) => `${encoded(name)}=${encoded(text)}`).join("&");
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  const sent = new Headers({ ...type, ...own });
  for (const [name, text] of headers) sent.set(name, headerText(text));
  return {
    path: search === "" ? target : `${target}?${search}`,
    init: {
      method: operation.method,
      headers: sent,
      redirect: "manual" as const,
      ...(body === undefined ? {} : { body: hostileJson(body) }),
    },
  };
}

/** Sends percent signs that encode nothing, or bytes that are not UTF-8, unchanged. */
function encoded(text: string): string {
  return /^%[\w%]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}

/** An empty or dotted segment would change the path. */
function encodedSegment(text: string): string {
  return /^\.*$/.test(text) ? "%20" : encoded(text);
}

/** Other characters cannot be in a header. */
function headerText(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?");
}
