/**
 * The requests of an import. Each is retried until it succeeds or fails for good: an import that takes an hour meets
 * rate limits and network restarts. The front end decides how to send a request, and how to wait.
 */
import type { BulkResult } from "../contract/bulk-links.ts";
import type { HandOverResult } from "../contract/dashboard.ts";
import type { Domain, DomainPage } from "../contract/domains.ts";
import type { CreateLink, LinkPage, UpdateLink } from "../contract/links.ts";
import type { Me } from "../contract/me.ts";
import { PAGE_DOMAINS_MAX } from "../limits.ts";
import { type FailedRequest, retryDelayMs } from "../retries.ts";
import { type ImportAccount, importAccount } from "./plan-import.ts";

export interface ImportRequest {
  method: "GET" | "POST" | "PATCH" | "PUT";
  /** Path below `/v1`, with its query. */
  path: string;
  headers: Record<string, string>;
  /** JSON. */
  body?: string;
}

/** A failed attempt, with a message for people. */
export type RequestError = Error & FailedRequest;

/** The next clicks of a link, or their sum. */
export type LinkHistory =
  | { offset: number; clicks: unknown[] }
  | { clicks_before: { clicks: number; until: string; source: string } };

export interface ImportTransport {
  /**
   * Makes one attempt.
   * @returns the body of a 2xx response
   * @throws RequestError for every other response, and without one
   */
  send: (request: ImportRequest) => Promise<unknown>;
  /** Waits before the next attempt. @throws when the import is canceled */
  wait: (ms: number, failed: RequestError) => Promise<void>;
  /** A new value for `Idempotency-Key`. */
  newKey: () => string;
  /** A random number, at least 0, below 1. */
  random: () => number;
}

/** Each method rejects when its request has finally failed. */
export class ImportApi {
  readonly #transport: ImportTransport;

  constructor(transport: ImportTransport) {
    this.#transport = transport;
  }

  me(): Promise<Me> {
    return this.request("GET", "/me");
  }

  /** All domains, in one request: an account has no more than fit into a page. */
  async domains(): Promise<Domain[]> {
    return (await this.request<DomainPage>("GET", `/domains?limit=${PAGE_DOMAINS_MAX}`)).data;
  }

  async account(): Promise<ImportAccount> {
    const [{ plan, default_domain }, domains] = await Promise.all([this.me(), this.domains()]);
    return importAccount(plan, default_domain, domains);
  }

  /** Includes archived links, which keep their addresses. */
  listLinks(query: Record<string, string>): Promise<LinkPage> {
    return this.request("GET", `/links?${new URLSearchParams({ ...query, archived: "any" })}`);
  }

  createLinks(links: readonly CreateLink[]): Promise<BulkResult> {
    return this.request("POST", "/links/bulk", { links });
  }

  updateLinks(links: readonly (UpdateLink & { id: string })[]): Promise<BulkResult> {
    return this.request("POST", "/links/bulk-update", { links });
  }

  /** A route of the dashboard's API only. Repeating it changes nothing. */
  handOver(ids: readonly string[]): Promise<HandOverResult> {
    return this.request("POST", "/links/hand-over", { links: ids.map((id) => ({ id })) });
  }

  /** Clicks that the link already has from this import are skipped. @returns their number after the request */
  putHistory(importId: string, linkId: string, history: LinkHistory): Promise<{ clicks: number }> {
    return this.request("PUT", `/imports/${importId}/links/${linkId}`, history);
  }

  /** All attempts of a POST share one key, so that a request whose response was lost is not executed twice. */
  async request<T>(method: ImportRequest["method"], path: string, body?: unknown): Promise<T> {
    const { send, wait, newKey, random } = this.#transport;
    const headers = {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(method === "POST" ? { "Idempotency-Key": newKey() } : {}),
    };
    const request = { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    for (let attempts = 1; ; attempts++) {
      try {
        return (await send(request)) as T;
      } catch (error) {
        const delayMs = isRequestError(error) ? retryDelayMs(error, attempts, random()) : null;
        if (delayMs === null) throw error;
        await wait(delayMs, error as RequestError);
      }
    }
  }
}

function isRequestError(error: unknown): error is RequestError {
  return error instanceof Error && "status" in error;
}
