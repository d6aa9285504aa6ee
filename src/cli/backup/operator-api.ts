/** The operator's door of a deployment, over HTTP. Requests are repeated when they fail: each may be sent again. */
import type { z } from "zod";

import { backoffMs } from "../../core/retries.ts";
import { RestoreOutcome } from "../../core/contract/backup.ts";
import { type HostReply, requestHost } from "../deployment/host-request.ts";
import type { Deployment } from "./deployment.ts";

const REQUEST_TIMEOUT_MS = 120_000;
const TRIES_MAX = 8;

type Query = Record<string, string | number | readonly string[] | null>;
type Body = string | Uint8Array;

export class OperatorApi {
  readonly #base: string;
  readonly #deployment: Deployment;
  #token: string | undefined;
  #hasAnswered = false;

  constructor(deployment: Deployment) {
    this.#base = `${deployment.url}/dashboard/api/operator`;
    this.#deployment = deployment;
  }

  async json<S extends z.ZodType>(schema: S, path: string, query: Query = {}): Promise<z.output<S>> {
    const reply = await this.#send("GET", path + queryText(query));
    if (reply.status === 404) throw new Error(reasonOf(reply));
    return schema.parse(JSON.parse(reply.body));
  }

  /** @returns null when there is no such thing */
  async bytes(path: string, query: Query = {}): Promise<Uint8Array | null> {
    const reply = await this.#send("GET", path + queryText(query));
    return reply.status === 404 ? null : reply.content;
  }

  async post<S extends z.ZodType>(schema: S, path: string, body: Body): Promise<z.output<S>> {
    return schema.parse(JSON.parse((await this.#send("POST", path, body)).body));
  }

  /** Sends part of a backup. @throws Error with the reason when it is refused */
  async restore(method: "POST" | "PUT", path: string, body: Body): Promise<number> {
    const outcome = RestoreOutcome.parse(JSON.parse((await this.#send(method, path, body)).body));
    if (outcome.outcome === "refused") throw new Error(outcome.message);
    return outcome.steps;
  }

  async #send(method: string, path: string, body?: Body): Promise<HostReply> {
    for (let tries = 1; ; tries++) {
      const reply = await this.#try(method, path, body);
      if (!(reply instanceof Error) && (isOk(reply) || (reply.status === 404 && method === "GET"))) return reply;
      // A wrong address is told at once.
      if (reply instanceof Error && !this.#hasAnswered) throw new Error(`Nothing answers at ${this.#base}`);
      const reason = reply instanceof Error ? String(reply.cause ?? reply) : reasonOf(reply);
      if (!(reply instanceof Error) && reply.status === 401) this.#token = undefined;
      if (tries === TRIES_MAX || !isTransient(reply, tries))
        throw new Error(`${method} ${this.#base}${path}: ${reason}`);
      await new Promise((wait) => setTimeout(wait, backoffMs(tries, Math.random())));
    }
  }

  async #try(method: string, path: string, body: Body | undefined): Promise<HostReply | Error> {
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

/** A token that is refused is replaced once: it may have expired. */
function isTransient(reply: HostReply | Error, tries: number): boolean {
  if (reply instanceof Error) return true;
  return reply.status >= 500 || reply.status === 429 || (reply.status === 401 && tries === 1);
}

function reasonOf({ status, body }: HostReply): string {
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
  return `${status} ${message ?? body.slice(0, 200)}`;
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((each) => [name, String(each)] as [string, string]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
