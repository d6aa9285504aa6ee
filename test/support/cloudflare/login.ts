/**
 * The page to which `wrangler login` sends the browser, in the stand-in for Cloudflare: every request is approved, and
 * its code is exchanged for a token (OAuth 2.0 with PKCE).
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import { listenOnFreePort } from "../ports.ts";

export class Login {
  #url = "";
  readonly #token: string;
  readonly #server: Server;
  /** Challenges by the codes that were issued. */
  readonly #challenges = new Map<string, string>();

  static async start(token: string): Promise<Login> {
    const login = new Login(token);
    login.#url = `http://127.0.0.1:${await listenOnFreePort(login.#server)}`;
    return login;
  }

  private constructor(token: string) {
    this.#token = token;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** The beginning of the address to which the browser is sent. */
  get pageUrl(): string {
    return `${this.#url}/oauth2/auth`;
  }

  get environment(): Record<string, string> {
    return { WRANGLER_AUTH_URL: this.pageUrl, WRANGLER_TOKEN_URL: `${this.#url}/oauth2/token` };
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", this.#url);
    if (url.pathname === "/oauth2/auth") {
      const code = crypto.randomUUID();
      this.#challenges.set(code, url.searchParams.get("code_challenge") ?? "");
      const callback = new URL(url.searchParams.get("redirect_uri") ?? "");
      callback.searchParams.set("code", code);
      callback.searchParams.set("state", url.searchParams.get("state") ?? "");
      response.writeHead(302, { Location: callback.href }).end();
      return;
    }
    const form = new URLSearchParams(await text(request));
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = this.#challenges.get(form.get("code") ?? "") === verifier;
    const granted = {
      access_token: this.#token,
      refresh_token: crypto.randomUUID(),
      expires_in: 3_600,
      scope: "account:read workers:write d1:write",
      token_type: "bearer",
    };
    response.writeHead(isRight ? 200 : 400, { "Content-Type": "application/json" });
    response.end(JSON.stringify(isRight ? granted : { error: "invalid_grant" }));
  }
}
