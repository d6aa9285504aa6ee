/** What a redirect and a request with a key do not load. A file of its own: what is loaded once stays in the isolate. */
import { expect, test } from "vitest";

import { premiumAccount, visit } from "../../support/test-accounts.ts";
import { BrowserSession, SIGN_IN_LOAD_TIMEOUT_MS } from "../../support/browser-session.ts";

/** Where better-auth keeps what all its copies share, from the moment it is loaded. */
const LOADED = Symbol.for("better-auth:global");

test(
  "redirects and API requests do not load the sign-in library; the first look at a session does",
  async () => {
    const ann = await premiumAccount();
    const { short_url } = await ann.createLink();
    expect((await visit(short_url)).status).toBe(302);
    expect((await new BrowserSession().api("GET", "/config")).status).toBe(200);
    expect(LOADED in globalThis).toBe(false);
    expect((await new BrowserSession().api("GET", "/account")).status).toBe(401);
    expect(LOADED in globalThis).toBe(true);
  },
  SIGN_IN_LOAD_TIMEOUT_MS,
);
