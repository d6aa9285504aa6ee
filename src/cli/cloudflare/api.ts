/**
 * Cloudflare's REST API, for what wrangler has no command for. Errors say what to do; the token is never in them.
 * `CLOUDFLARE_API_BASE_URL` is read as wrangler reads it.
 */
const DEFAULT_BASE_URL = "https://api.cloudflare.com/client/v4";
const TIMEOUT_MS = 30_000;
const TRIES = 3;
const RETRY_MS = 1_000;
/** Of requests whose headers or token are not accepted, or that the token may not make. */
const TOKEN_CODES = new Set([1000, 6003, 9103, 9106, 9109, 10_000]);
const NO_SUCH_PATH_CODE = 7003;

interface Envelope<T> {
  success?: boolean;
  result?: T;
  errors?: { code: number; message: string }[];
}

type Method = "GET" | "POST" | "PUT" | "PATCH";

/** An answer that is no success. `code` is 0 where Cloudflare gave none. */
export class CloudflareApiError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(call: string, status: number, code: number, message: string) {
    super(explain(call, status, code, message));
    this.status = status;
    this.code = code;
  }

  /** Whether the token lacks a permission, or the API has no such path: what is not indispensable goes on without. */
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

  /** @param path  below the version, with its leading slash @throws CloudflareApiError */
  get<T>(path: string): Promise<T> {
    return this.send<T>("GET", path);
  }

  /** @throws CloudflareApiError */
  async send<T>(method: Method, path: string, body?: unknown): Promise<T> {
    // What creates something is not repeated: the first try may have done it.
    const tries = method === "POST" ? 1 : TRIES;
    for (let tried = 1; ; tried++) {
      try {
        return await this.#try<T>(method, path, body);
      } catch (error) {
        if (tried === tries || !(error instanceof CloudflareApiError) || !isTransient(error)) throw error;
        await new Promise((done) => setTimeout(done, RETRY_MS * tried));
      }
    }
  }

  async #try<T>(method: Method, path: string, body: unknown): Promise<T> {
    const call = `${method} ${path}`;
    const response = await fetch(this.#baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new CloudflareApiError(call, 0, 0, error instanceof Error ? error.message : "no answer");
    });
    const envelope = (await response.json().catch(() => ({}))) as Envelope<T>;
    if (response.ok && envelope.success) return envelope.result as T;
    const [first] = envelope.errors ?? [];
    throw new CloudflareApiError(call, response.status, first?.code ?? 0, first?.message ?? response.statusText);
  }
}

function isTransient({ status }: CloudflareApiError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

function explain(call: string, status: number, code: number, message: string): string {
  if (status === 0)
    return `Cloudflare's API did not answer (${call}: ${message}). Check the connection and run this again.`;
  const answer = `Cloudflare answered ${call} with ${status}: ${message || "no message"} [code: ${code}].`;
  if (TOKEN_CODES.has(code))
    return `${answer} Log in with \`npx wrangler login\`, or give the token in CLOUDFLARE_API_TOKEN this permission.`;
  if (status === 429 || status >= 500) return `${answer} Run this again in a few minutes.`;
  return answer;
}
