/** The operator's API of a deployment, over HTTP. Failed requests are retried: each may be sent again. */
import type { z } from "zod";

import { backoffMs } from "../../core/retries.ts";
import { RestoreOutcome } from "../../core/contract/backup.ts";
import { type HostReply, requestHost } from "../deployment/host-request.ts";

const REQUEST_TIMEOUT_MS = 120_000;
const TRIES_MAX = 8;

export interface OperatorAddress {
  /** Its origin. */
  url: string;
  /** Called again after a token has expired. */
  issueToken: () => Promise<string>;
  /** Parameter of `requestHost`. */
  edgeAddress: string | undefined;
}

export class OperatorApi {
  readonly #base: string;
  readonly #deployment: OperatorAddress;
  #token: string | undefined;
  #hasAnswered = false;

  constructor(deployment: OperatorAddress) {
    this.#base = `${deployment.url}/dashboard/api/operator`;
    this.#deployment = deployment;
  }

  /** @throws Error with the reason if the resource does not exist */
  async get<S extends z.ZodType>(
    schema: S,
    path: string,
    query: Readonly<Record<string, string | number>> = {},
  ): Promise<z.output<S>> {
    const pairs = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const reply = await this.#send("GET", pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`);
    if (reply.status === 404) throw new Error(reasonOf(reply));
    return schema.parse(JSON.parse(reply.body));
  }

  async post<S extends z.ZodType>(schema: S, path: string, body: object): Promise<z.output<S>> {
    return schema.parse(JSON.parse((await this.#send("POST", path, JSON.stringify(body))).body));
  }

  /** Sends part of a restore. @throws Error with the reason if it is refused */
  async restore(path: string, body: object) {
    const outcome = await this.post(RestoreOutcome, path, body);
    if (outcome.outcome === "refused") throw new Error(outcome.message);
    return outcome;
  }

  async #send(method: string, path: string, body?: string): Promise<HostReply> {
    const { issueToken, edgeAddress } = this.#deployment;
    for (let tries = 1; ; tries++) {
      this.#token ??= await issueToken();
      const headers = { Authorization: `Bearer ${this.#token}` };
      const request = { method, headers, timeoutMs: REQUEST_TIMEOUT_MS, ...(body !== undefined && { body }) };
      const reply = await requestHost(this.#base + path, request, edgeAddress).catch((error: Error) => error);
      const status = reply instanceof Error ? 0 : reply.status;
      // Reports a wrong address immediately.
      if (status === 0 && !this.#hasAnswered) throw new Error(`No response from ${this.#base}`);
      this.#hasAnswered = true;
      const isAnswer = (status >= 200 && status < 300) || (status === 404 && method === "GET");
      if (!(reply instanceof Error) && isAnswer) return reply;
      if (status === 401) this.#token = undefined;
      // A refused token is replaced once: it may have expired.
      const mayRepeat = status === 0 || status >= 500 || status === 429 || (status === 401 && tries === 1);
      if (tries === TRIES_MAX || !mayRepeat) {
        const reason = reply instanceof Error ? String(reply.cause ?? reply) : reasonOf(reply);
        throw new Error(`${method} ${this.#base}${path}: ${reason}`);
      }
      await new Promise((wait) => setTimeout(wait, backoffMs(tries, Math.random())));
    }
  }
}

function reasonOf({ status, body }: HostReply): string {
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
  return `${status} ${message ?? body.slice(0, 200)}`;
}
