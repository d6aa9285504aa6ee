/** Code that redirects and requests with a key do not load. Own file, because loaded code stays in the isolate. */
import { expect, test } from "vitest";

import { premiumAccount, visit } from "../../support/test-accounts.ts";
import { BrowserSession, SIGN_IN_LOAD_TIMEOUT_MS } from "../../support/browser-session.ts";

/** The global that all copies of better-auth share, set when it loads. */
const LOADED = Symbol.for("better-auth:global");

test(
  "redirects and API requests do not load the sign-in library; the first request that looks up a session does",
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
