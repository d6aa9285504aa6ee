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
    for (let tries = 1; ; tries++) {
      const reply = await this.#try(method, path, body);
      if (!(reply instanceof Error) && (isOk(reply) || (reply.status === 404 && method === "GET"))) return reply;
      // Reports a wrong address immediately.
      if (reply instanceof Error && !this.#hasAnswered) throw new Error(`No response from ${this.#base}`);
      const reason = reply instanceof Error ? String(reply.cause ?? reply) : reasonOf(reply);
      if (!(reply instanceof Error) && reply.status === 401) this.#token = undefined;
      if (tries === TRIES_MAX || !isTransient(reply, tries))
        throw new Error(`${method} ${this.#base}${path}: ${reason}`);
      await new Promise((wait) => setTimeout(wait, backoffMs(tries, Math.random())));
    }
  }

  async #try(method: string, path: string, body: string | undefined): Promise<HostReply | Error> {
    const { issueToken, edgeAddress } = this.#deployment;
    this.#token ??= await issueToken();
    const headers = { Authorization: `Bearer ${this.#token}` };
    const request = { method, headers, timeoutMs: REQUEST_TIMEOUT_MS, ...(body === undefined ? {} : { body }) };
    try {
      const reply = await requestHost(this.#base + path, request, edgeAddress);
      this.#hasAnswered = true;
      return reply;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

function isOk({ status }: HostReply): boolean {
  return status >= 200 && status < 300;
}

/** A refused token is replaced once: it may have expired. */
function isTransient(reply: HostReply | Error, tries: number): boolean {
  if (reply instanceof Error) return true;
  return reply.status >= 500 || reply.status === 429 || (reply.status === 401 && tries === 1);
}

function reasonOf({ status, body }: HostReply): string {
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
  return `${status} ${message ?? body.slice(0, 200)}`;
}
