/**
 * Actors for tests inside workerd: accounts with keys that call the whole Worker, and visitors.
 * Everything goes through the Worker's own fetch; only accounts and keys, which have no route, come from the store.
 */
import { env, exports } from "cloudflare:workers";

import { type Plan, type Mode, SCOPES, type Scope } from "../../src/core/account.ts";
import { ClickPage } from "../../src/core/contract/clicks.ts";
import { Domain } from "../../src/core/contract/domains.ts";
import { Link } from "../../src/core/contract/links.ts";
import { QrCode } from "../../src/core/contract/qr-codes.ts";
import { Stats } from "../../src/core/contract/stats.ts";

import { issueKeyText } from "../../src/store/accounts/api-keys.ts";

import { newTestAccount } from "./accounts.ts";
import { type ApiResponse, readResponse } from "./api-response.ts";
import { eventually } from "./eventually.ts";
import { changeHomeRows } from "./link-databases.ts";

export const BASE_URL = "http://localhost:8787";

const CLICKS_TIMEOUT_MS = 10_000;

export class TestAccount {
  readonly email: string;
  readonly accountId: string;
  readonly key: string;

  constructor(email: string, accountId: string, key: string) {
    this.email = email;
    this.accountId = accountId;
    this.key = key;
  }

  /** The same account with a key of the given mode and scopes. */
  async withKey(mode: Mode, scopes: readonly Scope[] = SCOPES): Promise<TestAccount> {
    return new TestAccount(this.email, this.accountId, await issueKeyText(env, this.accountId, mode, "test", scopes));
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return send(method, path, body, { Authorization: `Bearer ${this.key}`, ...headers });
  }

  /** A link, whose creation must succeed. */
  async createLink(fields: Record<string, unknown> = {}): Promise<Link> {
    const reply = await this.call("POST", "/v1/links", { url: "https://example.com/", ...fields });
    if (reply.status !== 201) throw new Error(`link not made: ${JSON.stringify(reply.body)}`);
    return Link.parse(reply.body);
  }

  /** A domain, whose creation must succeed; pending, under a new name if none is given. */
  async createDomain(domain = `go.${crypto.randomUUID()}.example`): Promise<Domain> {
    const reply = await this.call("POST", "/v1/domains", { domain });
    if (reply.status !== 201) throw new Error(`domain not added: ${JSON.stringify(reply.body)}`);
    return Domain.parse(reply.body);
  }

  /** A domain as if DNS had proven it: tests with a DNS server cover DNS itself. */
  async activeDomain(domain?: string): Promise<Domain> {
    const { id } = await this.createDomain(domain);
    const sql = "UPDATE domains SET status = 'active', verified_at = 1, check_started_at = ?2 WHERE id = ?1";
    await changeHomeRows(env, [this.accountId], sql, id, Date.now());
    return Domain.parse((await this.call("GET", `/v1/domains/${id}`)).body);
  }

  /** A domain as if it had changed hands: DNS proves it for this account, and no longer for its former holder. */
  async inheritDomain(domain: string): Promise<Domain> {
    const { results } = await env.DB.prepare("SELECT account_id AS id FROM domains WHERE domain = ?1")
      .bind(domain)
      .all<{ id: string }>();
    const sql = "UPDATE domains SET status = 'misconfigured', verified_at = NULL WHERE domain = ?1";
    await changeHomeRows(
      env,
      results.map(({ id }) => id),
      sql,
      domain,
    );
    return this.activeDomain(domain);
  }

  /** A QR code, whose creation must succeed. */
  async createQrCode(link: Pick<Link, "id">, fields: Record<string, unknown> = {}): Promise<QrCode> {
    const reply = await this.call("POST", "/v1/qr", { link_id: link.id, ...fields });
    if (reply.status !== 201) throw new Error(`code not made: ${JSON.stringify(reply.body)}`);
    return QrCode.parse(reply.body);
  }

  async qrCode({ id }: Pick<QrCode, "id">): Promise<QrCode> {
    const reply = await this.call("GET", `/v1/qr/${id}`);
    if (reply.status !== 200) throw new Error(`no code: ${JSON.stringify(reply.body)}`);
    return QrCode.parse(reply.body);
  }

  async updateLink(link: Link, changes: Record<string, unknown>): Promise<Link> {
    const reply = await this.call("PATCH", `/v1/links/${link.id}`, changes);
    if (reply.status !== 200) throw new Error(`link not updated: ${JSON.stringify(reply.body)}`);
    return Link.parse(reply.body);
  }

  async stats(link: Link, query: Record<string, string> = {}): Promise<Stats> {
    const reply = await this.call("GET", `/v1/links/${link.id}/stats?${new URLSearchParams(query)}`);
    if (reply.status !== 200) throw new Error(`no statistics: ${JSON.stringify(reply.body)}`);
    return Stats.parse(reply.body);
  }

  async clicks(link: Link, query: Record<string, string> = {}): Promise<ClickPage> {
    const reply = await this.call("GET", `/v1/links/${link.id}/clicks?${new URLSearchParams(query)}`);
    if (reply.status !== 200) throw new Error(`no clicks: ${JSON.stringify(reply.body)}`);
    return ClickPage.parse(reply.body);
  }

  /**
   * Waits until at least `clicks` clicks are stored, bots included: they are stored after their replies.
   * Reads the log, since statistics up to now would keep clicks in flight from being dated before them.
   */
  async waitForClicks(clicks: number, link: Link): Promise<void> {
    const query = { after: String(clicks - 1), limit: "1" };
    await eventually(
      async () => (await this.clicks(link, query)).data.length > 0,
      `${clicks} clicks`,
      CLICKS_TIMEOUT_MS,
    );
  }

  /** Statistics once at least `clicks` clicks are stored, bots included. */
  async statsAfter(clicks: number, link: Link, query: Record<string, string> = {}): Promise<Stats> {
    await this.waitForClicks(clicks, link);
    return this.stats(link, query);
  }
}

export async function newAccount(plan: Plan): Promise<TestAccount> {
  const { email, id } = await newTestAccount(env, plan);
  return new TestAccount(email, id, await issueKeyText(env, id, "live", "test"));
}

export const premiumAccount = () => newAccount("premium");
export const freeAccount = () => newAccount("free");

/** A request to the service without its own key. A string or a file is sent unchanged. */
export async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const response = await exports.default.fetch(BASE_URL + path, {
    method,
    redirect: "manual",
    headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: asSent(body) }),
  });
  const isEndless = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  if (!isEndless) return readResponse(response);
  await response.body?.cancel();
  return { status: response.status, headers: response.headers, body: "" };
}

export function asSent(body: unknown): BodyInit {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return typeof body === "string" ? body : JSON.stringify(body);
}

export interface VisitOptions {
  country?: string;
  continent?: string;
  region?: string;
  city?: string;
  method?: string;
  /** Query string with its question mark. */
  search?: string;
  headers?: Record<string, string>;
}

/** A visit to a short URL, located by the edge as the facts specify. Redirects are not followed. */
export async function visit(shortUrl: string, facts: VisitOptions = {}): Promise<Response> {
  const { country, continent, region, city } = facts;
  return exports.default.fetch(shortUrl + (facts.search ?? ""), {
    method: facts.method ?? "GET",
    redirect: "manual",
    headers: facts.headers ?? {},
    cf: { country, continent, regionCode: region, city } as unknown as IncomingRequestCfProperties,
  });
}
