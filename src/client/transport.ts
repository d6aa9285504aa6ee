/**
 * Sends requests, with the key, the idempotency key and the time limit, and retries where that is safe; reads lists
 * page by page.
 */
import { hexOf, jsonIn } from "../core/encoding/bytes.ts";
import {
  bodyText,
  Deadline,
  errorOf,
  HoplinkConnectionError,
  HoplinkError,
  reasonText,
  retryWaitMs,
  sleep,
  unexpectedResponse,
} from "./errors.ts";

export interface RequestOptions {
  /** Ends the request, its retries and the waits between them. */
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
}

export interface PostOptions extends RequestOptions {
  /** Identifies the request for 24 hours: a repeat gets the first response. Generated if omitted. */
  idempotencyKey?: string | undefined;
}

export interface ChangeOptions extends RequestOptions {
  /** An `ETag`: the request is refused with `precondition_failed` if the link has changed since. */
  ifMatch?: string | undefined;
}

type AllOptions = PostOptions & ChangeOptions;

export type FileContent = Blob | Uint8Array<ArrayBuffer>;

export interface ApiRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** After `/v1`. */
  path: readonly (string | number)[];
  query?: Record<string, QueryValue> | undefined;
  body?: unknown;
  /** Sent unchanged instead of JSON. */
  file?: FileContent | undefined;
  accept?: string;
  /** A POST that changes nothing, or is idempotent. */
  isRepeatable?: true;
  /** A POST without an idempotency key: it is not retried if it may have been executed. */
  isUnkeyed?: true;
}

/** Called before each wait. @param waitMs  until the next attempt */
type OnRetry = (error: HoplinkError | HoplinkConnectionError, waitMs: number) => void;

const DEFAULT_MAX_RETRIES = 4;
const DEFAULT_TIMEOUT_MS = 60_000;

export interface HoplinkSettings {
  /** From the dashboard, under Settings, API keys. */
  apiKey: string;
  /** The service's address, e.g. `https://hop.example.com`. */
  baseUrl: string;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof fetch | undefined;
  /** How often a request is retried after 429, 502, 503, 504 or a broken connection. Default: 4. */
  maxRetries?: number | undefined;
  /** Called before each wait, with the reason and its duration in ms. */
  onRetry?: OnRetry | undefined;
  /** Time limit of one attempt. Default: 60,000. Streams and file bodies are not limited. */
  timeoutMs?: number | undefined;
}

/** A request as each attempt sends it. */
interface PreparedRequest {
  url: string;
  init: { method: string; headers: Headers; body?: string | FileContent; redirect: "manual" };
  isRepeatable: boolean;
}

type Read<T> = (response: Response, deadline: Deadline) => Promise<T>;

export class Transport {
  readonly #settings: HoplinkSettings & { maxRetries: number; timeoutMs: number };

  constructor({ maxRetries = DEFAULT_MAX_RETRIES, timeoutMs = DEFAULT_TIMEOUT_MS, ...settings }: HoplinkSettings) {
    this.#settings = { ...settings, maxRetries, timeoutMs };
  }

  /** A request with a JSON response, or an empty one. */
  json<T>(request: ApiRequest, options?: AllOptions): ApiPromise<T> {
    return apiPromise(this.#send(request, options, readJson<T>));
  }

  /** A request whose response is streamed, without a time limit. */
  download(request: ApiRequest, options?: RequestOptions): ApiPromise<ReadableStream<Uint8Array>> {
    return apiPromise(this.#send(request, options, readAsStream));
  }

  /** A file with its own address, which needs no key. */
  file(url: string, { headers, signal }: RequestOptions = {}): ApiPromise<ReadableStream<Uint8Array>> {
    const init = { method: "GET", headers: new Headers(headers), redirect: "manual" } as const;
    return apiPromise(this.#retry({ url, init, isRepeatable: true }, signal, readAsStream));
  }

  /** One attempt without a time limit. @returns any response, even an error @throws the errors of `fetch` */
  open(request: ApiRequest, options: RequestOptions & { signal: AbortSignal }): Promise<Response> {
    const { url, init } = this.#prepare(request, options);
    return this.#fetch(url, { ...init, signal: options.signal });
  }

  async #send<T>(request: ApiRequest, options: AllOptions = {}, read: Read<T>): Promise<Answer<T>> {
    return this.#retry(this.#prepare(request, options), options.signal, read);
  }

  #prepare(request: ApiRequest, options: AllOptions): PreparedRequest {
    const { method, path, query, body, accept, isRepeatable, isUnkeyed } = request;
    const sent = request.file ?? (body === undefined ? undefined : JSON.stringify(body));
    const headers = new Headers(options.headers);
    headers.set("Authorization", `Bearer ${this.#settings.apiKey}`);
    headers.set("Accept", accept ?? "application/json");
    if (body !== undefined) headers.set("Content-Type", "application/json");
    if (options.ifMatch !== undefined) headers.set("If-Match", options.ifMatch);
    const isKeyed = method === "POST" && !isRepeatable && !isUnkeyed;
    const key = givenIdempotencyKey(options) ?? (isKeyed ? newIdempotencyKey() : null);
    if (key !== null) headers.set("Idempotency-Key", key);
    return {
      url: urlOf(this.#settings.baseUrl, path, query),
      init: { method, headers, redirect: "manual", ...(sent === undefined ? {} : { body: sent }) },
      isRepeatable: method === "GET" || (method === "POST" && !isUnkeyed),
    };
  }

  async #retry<T>(request: PreparedRequest, signal: AbortSignal | undefined, read: Read<T>): Promise<Answer<T>> {
    for (let tries = 1, waitedMs = 0; ; tries++) {
      try {
        return await this.#attempt(request, signal, read);
      } catch (error) {
        const attempt = { error, tries, waitedMs, isRepeatable: request.isRepeatable };
        const wait = retryWaitMs(attempt, this.#settings.maxRetries, Math.random());
        if (wait === null) throw error;
        this.#settings.onRetry?.(error as HoplinkError | HoplinkConnectionError, wait);
        waitedMs += wait;
        await sleep(wait, signal);
      }
    }
  }

  async #attempt<T>(
    { url, init }: PreparedRequest,
    signal: AbortSignal | undefined,
    read: Read<T>,
  ): Promise<Answer<T>> {
    signal?.throwIfAborted();
    const { timeoutMs } = this.#settings;
    const deadline = new Deadline(signal);
    deadline.set(timeoutMs);
    try {
      const response = await this.#fetch(url, { ...init, signal: deadline.signal });
      if (!response.ok) throw errorOf(response, await bodyText(response));
      return { data: await read(response, deadline), etag: response.headers.get("ETag"), response };
    } catch (error) {
      deadline.end();
      if (error instanceof HoplinkError) throw error;
      signal?.throwIfAborted();
      throw connectionError(url, deadline.hasPassed ? `timed out after ${timeoutMs} ms` : error);
    }
  }

  /** Called as a plain function: browsers and Workers reject `fetch` as a method of another object. */
  #fetch(url: string, init: RequestInit): Promise<Response> {
    const send = this.#settings.fetch ?? globalThis.fetch;
    return send(url, init);
  }
}

/** A part of the API. */
export class Resource {
  protected readonly api: Transport;

  constructor(api: Transport) {
    this.api = api;
  }
}

async function readJson<T>(response: Response, deadline: Deadline): Promise<T> {
  const text = await bodyText(response);
  deadline.end();
  if (response.status === 204) return undefined as T;
  const value = jsonIn(text);
  if (value === undefined) throw unexpectedResponse(response, text);
  return value as T;
}

/** The signal also ends the stream, until it has been read. */
async function readAsStream(response: Response, deadline: Deadline): Promise<ReadableStream<Uint8Array>> {
  deadline.stop();
  if (!response.body) throw unexpectedResponse(response, "");
  return thenCall(() => deadline.end(), response.body);
}

/** Forwards the bytes. Calls `done` when they end, fail or are canceled; a TransformStream would miss some of these. */
function thenCall(done: () => void, bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = bytes.getReader();
  return new ReadableStream({
    async pull(controller) {
      const next = await reader.read().catch((error: unknown) => {
        done();
        throw error;
      });
      if (!next.done) return controller.enqueue(next.value);
      done();
      controller.close();
    },
    cancel(reason) {
      done();
      return reader.cancel(reason);
    },
  });
}

function connectionError(url: string, reason: unknown): HoplinkConnectionError {
  return new HoplinkConnectionError(`No response from ${new URL(url).host} (${reasonText(reason)})`, { cause: reason });
}

export interface Answer<T> {
  data: T;
  /** The `ETag` of a single link, for `ifMatch`; null for other responses. */
  etag: string | null;
  /** Its body is already in `data`. */
  response: Response;
}

/** The result of a call: the body or, with `withResponse()`, the body and the response. */
export interface ApiPromise<T> extends Promise<T> {
  withResponse: () => Promise<Answer<T>>;
}

function apiPromise<T>(answer: Promise<Answer<T>>): ApiPromise<T> {
  const data = answer.then((answered) => answered.data);
  const withResponse = () => {
    // The caller no longer handles this promise, and an unhandled rejection ends a Node process.
    data.catch(() => {});
    return answer;
  };
  return Object.assign(data, { withResponse });
}

const KEY_BYTES = 16;

/** `crypto.randomUUID` is missing on pages without TLS. */
export function newIdempotencyKey(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

/** The caller's key, from the option or a header. @returns null if the caller gave none */
export function givenIdempotencyKey({ idempotencyKey, headers }: PostOptions): string | null {
  return idempotencyKey ?? new Headers(headers).get("Idempotency-Key");
}

/** @returns null unless it is an http or https URL without a user name or password */
export function webUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : null;
}

export type QueryValue = string | number | boolean | readonly string[] | undefined;

/**
 * @param path  after `/v1`; ids may contain anything
 * @throws TypeError if a segment is empty or consists of dots, which would lead to another resource
 */
function urlOf(
  baseUrl: string,
  path: readonly (string | number)[],
  query: Readonly<Record<string, QueryValue>> = {},
): string {
  return `${baseUrl}/v1/${path.map(segmentOf).join("/")}${searchOf(query)}`;
}

function segmentOf(part: string | number): string {
  const text = String(part);
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`Invalid id "${text}"`);
  return encodeURIComponent(text);
}

function searchOf(query: Readonly<Record<string, QueryValue>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of typeof value === "object" ? value : [value]) search.append(name, String(one));
  }
  const text = String(search);
  return text && `?${text}`;
}

/** Paginated lists: iterate over items or pages with `for await`. No request is sent before that. */

interface Page<Item> {
  data: Item[];
}

type Cursor = string | number;

export class List<Item, P extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  readonly #readPage: (cursor?: Cursor) => Promise<P>;
  readonly #cursorAfter: (page: P) => Cursor | null;

  /** @param cursorAfter  where the next page begins; null after the last one */
  constructor(readPage: (cursor?: Cursor) => Promise<P>, cursorAfter: (page: P) => Cursor | null) {
    this.#readPage = readPage;
    this.#cursorAfter = cursorAfter;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** A page may be empty even if more follow. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    for (let cursor: Cursor | null | undefined; cursor !== null;) {
      const page: P = await this.#readPage(cursor);
      yield page;
      cursor = this.#cursorAfter(page);
    }
  }

  /** Returns all items, for lists that fit in memory. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const page of this.pages()) items.push(...page.data);
    return items;
  }
}

type Query = Readonly<Record<string, QueryValue>>;

export function listOf<P extends Page<unknown> & { next_cursor: string | null }>(
  api: Transport,
  path: readonly string[],
  query: Query,
  options?: RequestOptions,
): List<P["data"][number], P> {
  const read = (cursor = query["cursor"]) => api.json<P>({ method: "GET", path, query: { ...query, cursor } }, options);
  return new List(read, ({ next_cursor }) => next_cursor);
}

/** The last page of clicks also contains a cursor, from which to continue later. */
export function clickListOf<P extends Page<unknown> & { has_more: boolean; next_after: Cursor | null }>(
  api: Transport,
  path: readonly string[],
  query: Query,
  options?: RequestOptions,
): List<P["data"][number], P> {
  const read = (after = query["after"]) => api.json<P>({ method: "GET", path, query: { ...query, after } }, options);
  return new List(read, ({ has_more, next_after }) => (has_more ? next_after : null));
}
