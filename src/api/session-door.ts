/**
 * The dashboard's door to the API: the cookie of a session instead of a key. Whoever holds a session may do everything;
 * the mode is chosen by a header. A browser sends the cookie with requests that other sites make it send, so whatever
 * changes something must say that it comes from the dashboard's own pages.
 */
import type { Context, MiddlewareHandler } from "hono";

import { SCOPES } from "../core/contract.ts";
import { type Mode, MODES } from "../core/credentials.ts";
import { ApiError, validationFailed } from "../core/errors.ts";
import type { Caller } from "../store/caller.ts";
import { suspendedSince } from "../store/account-states.ts";
import { within } from "../store/patience.ts";
import { sessionOf } from "../store/sessions.ts";
import { accountSuspended, DATABASE_PATIENCE_MS } from "./access.ts";
import type { Api } from "./context.ts";

export const MODE_HEADER = "Hoplink-Mode";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Refuses what other sites make a browser send, and lets `access` ask for a session. */
export const sessionDoor: MiddlewareHandler<Api> = async (c, next) => {
  if (!SAFE_METHODS.has(c.req.method) && !isOwnPage(c)) {
    throw new ApiError("invalid_origin", `Send this request from ${c.var.hosts.baseUrl}`);
  }
  c.set("authenticate", callerOfSession);
  await next();
};

/** Browsers set both headers, and no page can forge either; a browser that sends none is too old to be trusted. */
function isOwnPage(c: Context<Api>): boolean {
  const origin = c.req.header("Origin");
  return origin === undefined ? c.req.header("Sec-Fetch-Site") === "same-origin" : origin === c.var.hosts.baseUrl;
}

async function callerOfSession(c: Context<Api>): Promise<Caller> {
  // A stream that goes on asks again after its headers have gone.
  const session = await sessionOf(c.env, c.req.raw.headers, DATABASE_PATIENCE_MS, !c.finalized);
  if (!session) throw new ApiError("missing_session", "Sign in first: there is no session, or it has ended");
  for (const cookie of session.cookies) c.header("Set-Cookie", cookie, { append: true });
  if (await within(DATABASE_PATIENCE_MS, suspendedSince(c.env, session.account.id))) throw accountSuspended(c.env);
  c.set("account", session.account);
  const { id, plan } = session.account;
  return { accountId: id, mode: modeOf(c), plan, scopes: SCOPES, origin: "dashboard", rateKey: id };
}

function modeOf(c: Context<Api>): Mode {
  const sent = c.req.header(MODE_HEADER) ?? "live";
  const mode = MODES.find((known) => known === sent);
  if (mode) return mode;
  const message = `${MODE_HEADER} must be ${MODES.join(" or ")}`;
  throw validationFailed([{ path: MODE_HEADER, code: "invalid_value", message }]);
}
