/** The public API for the import command: one key, requests that are repeated until they are answered or refused. */
import { setTimeout as wait } from "node:timers/promises";

import type { BulkResult } from "../../core/contract/bulk-links.ts";
import type { DashboardConfig } from "../../core/contract/dashboard.ts";
import type { Domain } from "../../core/contract/domains.ts";
import type { LinkPage } from "../../core/contract/links.ts";
import type { Me } from "../../core/contract/me.ts";
import type { ImportAccount } from "../../core/imports/plan-import.ts";
import { type FailedRequest, retryDelayMs } from "../../core/retries.ts";
import type { ImportApi } from "../../core/imports/run-import.ts";
import { PAGE_DOMAINS_MAX } from "../../core/limits.ts";

const REQUEST_TIMEOUT_MS = 60_000;

export interface ApiOptions {
  base: string;
  key: string;
  /** Ends waits, not requests: one that was sent may have been carried out. */
  signal: AbortSignal;
  /** Told before each wait: what happened, and for how long. */
  onWait: (why: string, ms: number) => void;
}

/** Requests of one run. Each rejects when it has failed for good. */
export class ImportClient implements ImportApi {
  private readonly options: ApiOptions;

  constructor(options: ApiOptions) {
    this.options = options;
  }

  listLinks(query: Record<string, string>): Promise<LinkPage> {
    return this.request("GET", `/v1/links?${new URLSearchParams(query)}`);
  }

  createLinks(links: unknown[]): Promise<BulkResult> {
    return this.request("POST", "/v1/links/bulk", { links });
  }

  updateLinks(links: unknown[]): Promise<BulkResult> {
    return this.request("POST", "/v1/links/bulk-update", { links });
  }

  /** What the plan must know. */
  async account(): Promise<{ account: ImportAccount; domains: Domain[]; linksUsed: number }> {
    const [me, config] = await Promise.all([
      this.request<Me>("GET", "/v1/me"),
      // Where links are created that name no domain; the API itself does not tell.
      this.request<DashboardConfig>("GET", "/dashboard/api/config"),
    ]);
    const domains = await this.domains();
    const account = {
      plan: me.plan,
      defaultDomain: config.short_domains[me.mode],
      domains: new Map(domains.map(({ domain, status }) => [domain, status])),
      caseSensitive: new Set(domains.flatMap(({ domain, case_sensitive }) => (case_sensitive ? [domain] : []))),
    };
    return { account, domains, linksUsed: me.limits.links.used };
  }

  /** @throws when links were made on the domain already */
  async makeCaseSensitive({ id }: Domain): Promise<void> {
    await this.request("PATCH", `/v1/domains/${id}`, { case_sensitive: true });
  }

  /** For dry runs, as far as it can be read: deleted links count as well. @throws when links are on the domain already */
  async requireCaseChangeable({ domain }: Domain): Promise<void> {
    const { data, has_more } = await this.listLinks({ domain, limit: "1" });
    if (data.length > 0 || has_more)
      throw new Error(`You have made links on ${domain}, so its slugs cannot become case-sensitive`);
  }

  private async domains(): Promise<Domain[]> {
    const domains: Domain[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const query = new URLSearchParams({ limit: String(PAGE_DOMAINS_MAX), ...(cursor === "" ? {} : { cursor }) });
      const page: { data: Domain[]; next_cursor: string | null } = await this.request("GET", `/v1/domains?${query}`);
      domains.push(...page.data);
      cursor = page.next_cursor;
    }
    return domains;
  }

  /** All attempts of a POST share one key, so that one whose response was lost is not done twice. */
  private async request<T>(method: "GET" | "POST" | "PATCH", path: string, body?: unknown): Promise<T> {
    const { base, key, signal, onWait } = this.options;
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(method === "POST" ? { "Idempotency-Key": `import-${crypto.randomUUID()}` } : {}),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    for (let attempts = 1; ; attempts++) {
      const failure = await attempt<T>(`${base}${path}`, { method, headers, ...sent });
      if ("answer" in failure) return failure.answer;
      const delayMs = retryDelayMs(failure, attempts, Math.random());
      if (delayMs === null) throw new Error(failure.message);
      onWait(failure.message, delayMs);
      await wait(delayMs, undefined, { signal });
    }
  }
}

type Attempt<T> = { answer: T } | (FailedRequest & { message: string });

async function attempt<T>(url: string, init: RequestInit): Promise<Attempt<T>> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    const text = await response.text();
    if (response.ok) return { answer: JSON.parse(text) as T };
    const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
    const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
    return { status: response.status, retryAfter, message: messageOf(response.status, text) };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const detail = cause instanceof Error ? cause.message : String(cause);
    return { status: 0, retryAfter: undefined, message: `${new URL(url).origin} does not answer: ${detail}` };
  }
}

function messageOf(status: number, text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    if (typeof error?.message === "string") return `${error.message} (${status})`;
  } catch {
    // A proxy's page.
  }
  return `The server answered ${status}`;
}
