/**
 * Browsers that somebody has signed in with before. Tries to sign in are counted by e-mail address, since an attacker has
 * many IP addresses; a known browser is counted by itself instead, so that strangers who guess cannot lock the holder out.
 * A signed cookie that only a success gives; it opens nothing. See OWASP, "Slow Down Online Guessing Attacks with Device
 * Cookies".
 */
import type { GenericEndpointContext } from "better-auth";

const COOKIE = "device";
/** Browsers keep no cookie for longer than 400 days. */
const KEPT_SECONDS = 365 * 86_400;

/** The name to count the tries of a browser by; null where nobody has signed in to this account with it. */
export async function knownDevice(c: GenericEndpointContext, email: string): Promise<string | null> {
  const text = await c.getSignedCookie(cookieOf(c).name, c.context.secret);
  const [device, account, until] = (text || "").split(".");
  if (!device || account !== (await digestOf(email)) || Number(until) < Date.now()) return null;
  return `device:${device}`;
}

/** Remembers the browser; to be called once somebody has signed in with it. */
export async function rememberDevice(c: GenericEndpointContext, email: string): Promise<void> {
  const { name, attributes } = cookieOf(c);
  const value = [crypto.randomUUID(), await digestOf(email), Date.now() + KEPT_SECONDS * 1_000].join(".");
  await c.setSignedCookie(name, value, c.context.secret, attributes);
}

function cookieOf(c: GenericEndpointContext) {
  return c.context.createAuthCookie(COOKIE, { maxAge: KEPT_SECONDS });
}

async function digestOf(email: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(email.toLowerCase()));
  return [...new Uint8Array(digest, 0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
