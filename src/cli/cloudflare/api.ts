/**
 * Cloudflare's REST API, for everything that wrangler has no command for. Errors suggest a fix and never contain the
 * token. `CLOUDFLARE_API_BASE_URL` works as in wrangler.
 */
import { Buffer } from "node:buffer";

import { jsonIn } from "../../core/encoding/bytes.ts";

const DEFAULT_BASE_URL = "https://api.cloudflare.com/client/v4";
const TIMEOUT_MS = 30_000;
/** For objects of some megabytes over a slow connection. */
const BYTES_TIMEOUT_MS = 300_000;
const TRIES = 3;
const RETRY_MS = 1_000;
/** The API limits calls per five minutes. */
const RETRY_AFTER_MAX_MS = 300_000;
/** Codes for rejected headers, rejected tokens and missing permissions. */
const TOKEN_CODES = new Set([1000, 6003, 9103, 9106, 9109, 10_000]);
const NO_SUCH_PATH_CODE = 7003;

interface Envelope<T> {
  success?: boolean;
  result?: T;
  errors?: { code: number; message: string }[];
}

type Reader<T> = (response: Response) => Promise<Envelope<T>>;
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** An unsuccessful response. `code` is 0 if Cloudflare did not send one. */
export class CloudflareApiError extends Error {
  readonly status: number;
  readonly code: number;
  /** When to try again, if the API says so. */
  readonly retryAfterMs: number | null;

  constructor(call: string, status: number, code: number, message: string, retryAfter: string | null = null) {
    super(explain(call, status, code, message));
    this.status = status;
    this.code = code;
    const seconds = Number(retryAfter ?? NaN);
    this.retryAfterMs = seconds >= 0 ? Math.min(seconds * 1_000, RETRY_AFTER_MAX_MS) : null;
  }

  /** Whether the token lacks a permission, or the API lacks the path: optional steps are then skipped. */
  get isUnavailable(): boolean {
    return TOKEN_CODES.has(this.code) || this.code === NO_SUCH_PATH_CODE;
  }
}

export class CloudflareApi {
  readonly #token: string;
  readonly #baseUrl: string;

  constructor(token: string, baseUrl = process.env.CLOUDFLARE_API_BASE_URL || DEFAULT_BASE_URL) {
    this.#token = token;
    this.#baseUrl = baseUrl.replace(/\/$/, "");
  }

  /** @param path  after the version, with a leading slash @throws CloudflareApiError */
  get<T>(path: string): Promise<T> {
    return this.send<T>("GET", path);
  }

  /** @throws CloudflareApiError */
  send<T>(method: Method, path: string, body?: unknown): Promise<T> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { "Content-Type": "application/json" };
    return this.#repeat(method, path, { ...json, headers }, TIMEOUT_MS, envelopeOf<T>);
  }

  /** Reads a response that is not JSON, such as an object in a bucket. @throws CloudflareApiError */
  getBytes(path: string): Promise<Uint8Array> {
    return this.#repeat("GET", path, {}, BYTES_TIMEOUT_MS, async (response) =>
      response.ok ? { success: true, result: new Uint8Array(await response.arrayBuffer()) } : envelopeOf(response),
    );
  }

  /** @throws CloudflareApiError */
  async putBytes(path: string, content: Uint8Array): Promise<void> {
    const init = { body: new Uint8Array(content), headers: { "Content-Type": "application/octet-stream" } };
    await this.#repeat("PUT", path, init, BYTES_TIMEOUT_MS, envelopeOf);
  }

  /** The analytics. @returns `data` of the response @throws CloudflareApiError, including for errors in the response */
  graphql<T>(query: string, variables: Record<string, string>): Promise<T> {
    const init = { body: JSON.stringify({ query, variables }), headers: { "Content-Type": "application/json" } };
    return this.#repeat("POST", "/graphql", init, TIMEOUT_MS, async (response) => {
      const { data, errors } = (await response.json()) as {
        data: T;
        errors?: { code?: number; message: string }[] | null;
      };
      const problems = (errors ?? []).map(({ code = 0, message }) => ({ code, message }));
      return { success: problems.length === 0, errors: problems, result: data };
    });
  }

  async #repeat<T>(method: Method, path: string, init: RequestInit, timeoutMs: number, read: Reader<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#try(method, path, { ...init, signal: AbortSignal.timeout(timeoutMs) }, read);
      } catch (error) {
        if (tried === TRIES || !(error instanceof CloudflareApiError) || !mayRepeat(method, error)) throw error;
        await new Promise((done) => setTimeout(done, error.retryAfterMs ?? RETRY_MS * tried));
      }
    }
  }

  async #try<T>(method: Method, path: string, init: RequestInit, read: Reader<T>): Promise<T> {
    const call = `${method} ${path}`;
    const headers = { ...init.headers, Authorization: `Bearer ${this.#token}` };
    const { response, envelope } = await fetch(this.#baseUrl + path, { ...init, method, headers })
      .then(async (response) => ({ response, envelope: await read(response) }))
      .catch((error: unknown) => {
        throw new CloudflareApiError(call, 0, 0, error instanceof Error ? error.message : "no response");
      });
    // The response to a deletion may be empty.
    const isDone = envelope.success || (method === "DELETE" && envelope.success === undefined && !envelope.errors);
    if (response.ok && isDone) return envelope.result as T;
    const [first] = envelope.errors ?? [];
    const message = first?.message ?? response.statusText;
    throw new CloudflareApiError(call, response.status, first?.code ?? 0, message, response.headers.get("Retry-After"));
  }
}

/** For `catch`: returns null for errors with one of these codes. */
export function unlessCode(...codes: number[]): (error: unknown) => null {
  return (error) => {
    if (error instanceof CloudflareApiError && codes.includes(error.code)) return null;
    throw error;
  };
}

/** A response that is not JSON counts as unsuccessful. */
async function envelopeOf<T>(response: Response): Promise<Envelope<T>> {
  return (jsonIn(await response.text()) as Envelope<T> | undefined) ?? {};
}

/** Creations are repeated only if the API refused them unread: otherwise the first attempt may have succeeded. */
function mayRepeat(method: Method, { status }: CloudflareApiError): boolean {
  return status === 429 || (method !== "POST" && (status === 0 || status >= 500));
}

function explain(call: string, status: number, code: number, message: string): string {
  if (status === 0)
    return `Cloudflare's API did not respond (${call}: ${message}). Check your connection and run the command again.`;
  const answer = `Cloudflare answered ${call} with ${status}: ${message || "no message"} [code: ${code}].`;
  if (TOKEN_CODES.has(code))
    return `${answer} Log in with \`npx wrangler login\`, or give the token in CLOUDFLARE_API_TOKEN this permission.`;
  if (status === 429 || status >= 500) return `${answer} Run the command again in a few minutes.`;
  return answer;
}

type SqlValue = string | number | null | Uint8Array;
/** Executes statements, separated by semicolons, as one transaction. */
type ExecuteSql = (sql: string) => Promise<D1Result[]>;

/**
 * A deployed database for commands: the part of D1's interface that the store's functions for operators use, on top of
 * any executor of SQL.
 */
export function databaseOver(execute: ExecuteSql): D1Database {
  const prepare = (sql: string) => remoteStatement(execute, sql, []);
  const batch = (statements: RemoteStatement[]) => execute(statements.map(({ sql }) => sql).join(";\n"));
  // Only the members of D1Database that the store's functions for operators use.
  const database = { prepare, batch, withSession: () => database };
  return database as unknown as D1Database;
}

type RemoteStatement = ReturnType<typeof remoteStatement>;

function remoteStatement(execute: ExecuteSql, template: string, values: SqlValue[]) {
  const sql = inlineParameters(template, values);
  const all = async () => resultOf(await execute(sql));
  return {
    sql,
    bind: (...bound: SqlValue[]) => remoteStatement(execute, template, bound),
    all,
    run: all,
    first: async () => (await all()).results[0] ?? null,
  };
}

function resultOf([result]: D1Result[]): D1Result {
  if (!result) throw new Error("the database returned no result");
  return result;
}

/**
 * Inlines parameters as literals, because the API accepts none for several statements: strings quoted, blobs in
 * hexadecimal, numbers as they are.
 * @internal
 */
export function inlineParameters(sql: string, values: readonly SqlValue[]): string {
  return sql.replace(/\?(\d+)/g, (_, index: string) => sqlLiteral(values[Number(index) - 1] ?? null));
}

function sqlLiteral(value: SqlValue): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  return `X'${Buffer.from(value).toString("hex")}'`;
}
