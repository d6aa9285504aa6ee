/** A person's browser at the dashboard: keeps cookies, and sends the request headers of browsers. */
import { env, exports } from "cloudflare:workers";
import { hashPassword } from "better-auth/crypto";

import type { Mode } from "../../src/core/account.ts";
import { Link } from "../../src/core/contract/links.ts";
import { AccountInfo } from "../../src/core/contract/dashboard.ts";
import { createAccount, PASSWORD_PROVIDER } from "../../src/store/accounts/accounts.ts";

import { BASE_URL } from "./test-accounts.ts";
import { type ApiResponse, readResponse } from "./api-response.ts";

export const PASSWORD = "correct horse battery";
export const SESSION_COOKIE = "hoplink.session_token";

const SESSION_MS = 7 * 86_400_000;

let passwordHash: string | undefined;

/** Loads the sign-in library before a file's tests: file by file that takes seconds; deployed it is one script. */
export async function preloadSignIn(): Promise<void> {
  await import("../../src/store/auth/sign-in.ts");
}

export const SIGN_IN_LOAD_TIMEOUT_MS = 120_000;

let addressCount = 0;

export class BrowserSession {
  readonly cookies = new Map<string, string>();
  /** Its address as the edge reports it, by which sign-ins are counted. */
  readonly ip: string;

  constructor(ip = `2001:db8:${(++addressCount).toString(16)}::1`) {
    this.ip = ip;
  }

  /** A request of the dashboard's own page. A header of null is left out. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | null> = {},
  ): Promise<ApiResponse> {
    return readResponse(await this.fetch(method, path, body, headers));
  }

  /** The same, for responses that are not JSON. */
  async fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | null> = {},
  ): Promise<Response> {
    const sent = {
      Origin: method === "GET" ? null : BASE_URL,
      "Sec-Fetch-Site": "same-origin",
      "CF-Connecting-IP": this.ip,
      Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") || null,
      "Content-Type": body === undefined ? null : "application/json",
      ...headers,
    };
    const response = await exports.default.fetch(BASE_URL + path, {
      method,
      redirect: "manual",
      headers: Object.entries(sent).flatMap(([name, value]): [string, string][] =>
        value === null ? [] : [[name, value]],
      ),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) this.#storeCookie(cookie);
    return response;
  }

  api(method: string, path: string, body?: unknown, mode?: Mode): Promise<ApiResponse> {
    return this.call(method, `/dashboard/api${path}`, body, mode ? { "Hoplink-Mode": mode } : {});
  }

  auth(path: string, body: unknown = {}): Promise<ApiResponse> {
    return this.call("POST", `/dashboard/api/auth${path}`, body);
  }

  /** @param code  of the account's authenticator app */
  signIn(email: string, password = PASSWORD, code?: string): Promise<ApiResponse> {
    return this.auth("/sign-in/email", { email, password, code });
  }

  async account(): Promise<AccountInfo> {
    const reply = await this.api("GET", "/account");
    if (reply.status !== 200) throw new Error(`no account: ${JSON.stringify(reply.body)}`);
    return AccountInfo.parse(reply.body);
  }

  /** A link, whose creation must succeed. */
  async createLink(fields: Record<string, unknown> = {}, mode?: Mode): Promise<Link> {
    const reply = await this.api("POST", "/links", { url: "https://example.com/", ...fields }, mode);
    if (reply.status !== 201) throw new Error(`link not made: ${JSON.stringify(reply.body)}`);
    return Link.parse(reply.body);
  }

  #storeCookie(cookie: string): void {
    const [pair = "", ...attributes] = cookie.split("; ");
    const [name = "", value = ""] = pair.split("=");
    if (attributes.includes("Max-Age=0")) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

export function newEmail(): string {
  return `person-${crypto.randomUUID()}@example.com`;
}

/**
 * A browser with a session, as after signing up: the hash of the password, which takes a tenth of a second, is computed
 * once for all accounts.
 */
export async function signedUp(email = newEmail()): Promise<BrowserSession> {
  const account = await createAccount(env, email, "free");
  if (!account) throw new Error(`${email} has an account`);
  passwordHash ??= await hashPassword(PASSWORD);
  const token = crypto.randomUUID();
  const [now, ends] = [new Date().toISOString(), new Date(Date.now() + SESSION_MS).toISOString()];
  await env.DB.batch([
    env.DB.prepare("UPDATE accounts SET name = 'Test User' WHERE id = ?1").bind(account.id),
    env.DB.prepare(
      `INSERT INTO credentials (id, account_id, provider, provider_account_id, password, created_at, updated_at)
       VALUES (?1, ?2, ?3, ?2, ?4, ?5, ?5)`,
    ).bind(crypto.randomUUID(), account.id, PASSWORD_PROVIDER, passwordHash, now),
    env.DB.prepare(
      `INSERT INTO sessions (id, account_id, token, expires_at, user_agent, ip_address, created_at, updated_at)
       VALUES (?1, ?2, ?3, ?4, '', '', ?5, ?5)`,
    ).bind(crypto.randomUUID(), account.id, token, ends, now),
  ]);
  const browser = new BrowserSession();
  browser.cookies.set(SESSION_COOKIE, encodeURIComponent(`${token}.${await signatureOf(token)}`));
  return browser;
}

/** Signs as better-auth signs its cookies. */
async function signatureOf(text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = encoder.encode(env.BETTER_AUTH_SECRET);
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)))));
}

/** A browser of a person who has just signed up, through the service. */
export async function signUp(email = newEmail()): Promise<BrowserSession> {
  const browser = new BrowserSession();
  const reply = await browser.auth("/sign-up/email", { name: "Test User", email, password: PASSWORD });
  if (reply.status !== 200) throw new Error(`not signed up: ${reply.status} ${JSON.stringify(reply.body)}`);
  return browser;
}
