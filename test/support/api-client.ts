/** The API of a running server as its customers call it: over HTTP, with a key. */
import { BulkResult } from "../../src/core/contract/bulk-links.ts";
import { type Click, ClickPage } from "../../src/core/contract/clicks.ts";
import { Link } from "../../src/core/contract/links.ts";
import { Stats } from "../../src/core/contract/stats.ts";
import { BULK_LINKS_MAX, PAGE_CLICKS_MAX } from "../../src/core/limits.ts";
import type { Grouping } from "../../src/core/clicks/counting/groupings.ts";
import { type ApiResponse, readResponse } from "./api-response.ts";
import { eventually } from "./eventually.ts";

/** A request with a key and a JSON body. */
export function jsonRequest(key: string, method: string, body?: unknown) {
  return {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

export class ApiClient {
  readonly #base: string;
  readonly key: string;

  /** @param base  the server's origin */
  constructor(base: string, key: string) {
    this.#base = base;
    this.key = key;
  }

  /** Returns any response, errors included. */
  async send(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    return readResponse(await fetch(this.#base + path, jsonRequest(this.key, method, body)));
  }

  /** Waits when the rate limit requires it. @returns the body @throws Error when the request is refused */
  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await this.send(method, path, body);
    if (response.status === 429) {
      const seconds = Number(response.headers.get("Retry-After"));
      await new Promise((done) => setTimeout(done, seconds * 1_000));
      return this.call(method, path, body);
    }
    if (response.status >= 300) {
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    }
    return response.body;
  }

  async createLink(fields: Record<string, unknown> = {}): Promise<Link> {
    return Link.parse(await this.call("POST", "/v1/links", { url: "https://example.com/", ...fields }));
  }

  /** Creates one link for each slug. @returns their ids */
  async createLinks(slugs: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < slugs.length; i += BULK_LINKS_MAX) {
      const links = slugs.slice(i, i + BULK_LINKS_MAX).map((slug) => ({ url: "https://example.com/", slug }));
      const { results } = BulkResult.parse(await this.call("POST", "/v1/links/bulk", { links }));
      ids.push(...results.flatMap((result) => ("link" in result ? [result.link.id] : [])));
    }
    return ids;
  }

  async stats(link: Pick<Link, "id">, groupBy: Grouping): Promise<Stats> {
    return Stats.parse(await this.call("GET", `/v1/links/${link.id}/stats?group_by=${groupBy}`));
  }

  /** Clicks of a link, bots included. */
  async total(link: Pick<Link, "id">): Promise<number> {
    return Stats.parse(await this.call("GET", `/v1/links/${link.id}/stats?include_bots=true`)).total;
  }

  /** Clicks of several links, bots included, once there are `expected`, or fewer if they do not arrive in time. */
  async totalOnceRecorded(ids: readonly string[], expected: number): Promise<number> {
    let sum = 0;
    const isComplete = async () => {
      sum = 0;
      for (const id of ids) sum += await this.total({ id });
      return sum >= expected;
    };
    await eventually(isComplete, `${expected} clicks`).catch(() => {});
    return sum;
  }

  /** The whole click log of a link. */
  async clicks(link: Pick<Link, "id">): Promise<Click[]> {
    const clicks: Click[] = [];
    for (let after = 0; ;) {
      const path = `/v1/links/${link.id}/clicks?after=${after}&limit=${PAGE_CLICKS_MAX}`;
      const page = ClickPage.parse(await this.call("GET", path));
      clicks.push(...page.data);
      if (!page.has_more) return clicks;
      after = page.next_after;
    }
  }
}
