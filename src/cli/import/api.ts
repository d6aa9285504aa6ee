/** The API of an import with a key, over `fetch`. */
import { setTimeout as wait } from "node:timers/promises";

import { jsonIn } from "../../core/encoding/bytes.ts";
import { ImportApi, type ImportRequest, type RequestError } from "../../core/imports/import-api.ts";

const REQUEST_TIMEOUT_MS = 60_000;

export interface ApiOptions {
  base: string;
  key: string;
  /** Ends waits, not requests: a sent request may have been executed. */
  signal: AbortSignal;
  /** Called before each wait, with the reason and the duration. */
  onWait: (why: string, ms: number) => void;
}

export function importApi({ base, key, signal, onWait }: ApiOptions): ImportApi {
  return new ImportApi({
    send: (request) => send(base, key, request),
    wait: (ms, { message }) => {
      onWait(message, ms);
      return wait(ms, undefined, { signal });
    },
    newKey: () => `import-${crypto.randomUUID()}`,
    random: Math.random,
  });
}

async function send(base: string, key: string, { path, headers, ...init }: ImportRequest): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const authorized = { ...headers, Authorization: `Bearer ${key}` };
    response = await fetch(`${base}/v1${path}`, { ...init, headers: authorized, signal });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw requestError(`${base} does not respond: ${detail}`, 0, null);
  }
  if (response.ok) return jsonIn(text) ?? Promise.reject(requestError(`${base} did not return JSON`, 0, null));
  throw requestError(messageOf(response.status, text), response.status, response.headers.get("Retry-After"));
}

function requestError(message: string, status: number, retryAfter: string | null): RequestError {
  const seconds = Number(retryAfter ?? Number.NaN);
  return Object.assign(new Error(message), { status, retryAfter: Number.isFinite(seconds) ? seconds : undefined });
}

function messageOf(status: number, text: string): string {
  const body = jsonIn(text) as { error?: { message?: unknown } } | null | undefined;
  const message = body?.error?.message;
  return typeof message === "string" ? `${message.replace(/\.$/, "")} (${status})` : `The server returned ${status}`;
}
