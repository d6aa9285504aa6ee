/** The operator's door of a deployment, over HTTP. Requests are repeated when they fail: each may be sent again. */
import type { z } from "zod";

import { backoffMs } from "../../core/backoff.ts";
import { RestoreOutcome } from "../../core/contract/backup.ts";

const REQUEST_TIMEOUT_MS = 120_000;
const TRIES_MAX = 8;

type Query = Record<string, string | number | readonly string[] | null>;
type Body = string | Uint8Array;

export class OperatorApi {
  readonly #base: string;
  readonly #issueToken: () => Promise<string>;
  #token: string | undefined;
  #hasAnswered = false;

  /** @param issueToken  is called again when a token has expired */
  constructor(url: string, issueToken: () => Promise<string>) {
    this.#base = `${url}/dashboard/api/operator`;
    this.#issueToken = issueToken;
  }

  async json<S extends z.ZodType>(schema: S, path: string, query: Query = {}): Promise<z.output<S>> {
    const response = await this.#send("GET", path + queryText(query));
    if (response.status === 404) throw new Error(await reasonOf(response));
    return schema.parse(await response.json());
  }

  /** @returns null when there is no such thing */
  async bytes(path: string, query: Query = {}): Promise<Uint8Array | null> {
    const response = await this.#send("GET", path + queryText(query));
    return response.status === 404 ? null : new Uint8Array(await response.arrayBuffer());
  }

  async post<S extends z.ZodType>(schema: S, path: string, body: Body): Promise<z.output<S>> {
    return schema.parse(await (await this.#send("POST", path, body)).json());
  }

  /** Sends part of a backup. @throws Error with the reason when it is refused */
  async restore(method: "POST" | "PUT", path: string, body: Body): Promise<number> {
    const outcome = RestoreOutcome.parse(await (await this.#send(method, path, body)).json());
    if (outcome.outcome === "refused") throw new Error(outcome.message);
    return outcome.steps;
  }

  async #send(method: string, path: string, body?: Body): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const response = await this.#try(method, path, body);
      if (response instanceof Response && (response.ok || (response.status === 404 && method === "GET")))
        return response;
      // A wrong address is told at once.
      if (response instanceof Error && !this.#hasAnswered) throw new Error(`Nothing answers at ${this.#base}`);
      const reason = response instanceof Response ? await reasonOf(response) : String(response.cause ?? response);
      if (response instanceof Response && response.status === 401) this.#token = undefined;
      if (tries === TRIES_MAX || !isTransient(response, tries))
        throw new Error(`${method} ${this.#base}${path}: ${reason}`);
      await new Promise((wait) => setTimeout(wait, backoffMs(tries, Math.random())));
    }
  }

  async #try(method: string, path: string, body: Body | undefined): Promise<Response | Error> {
    this.#token ??= await this.#issueToken();
    try {
      const response = await fetch(this.#base + path, {
        method,
        headers: { Authorization: `Bearer ${this.#token}` },
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
      });
      this.#hasAnswered = true;
      return response;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

/** A token that is refused is replaced once: it may have expired. */
function isTransient(response: Response | Error, tries: number): boolean {
  if (response instanceof Error) return true;
  return response.status >= 500 || response.status === 429 || (response.status === 401 && tries === 1);
}

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return `${response.status} ${message ?? text.slice(0, 200)}`;
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((each) => [name, String(each)] as [string, string]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
