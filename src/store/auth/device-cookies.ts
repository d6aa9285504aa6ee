/**
 * Browsers with an earlier sign-in. Sign-in attempts are counted by e-mail address, since an attacker has many IP
 * addresses; a browser with a valid device cookie has its own counter, so an attacker who guesses passwords cannot lock
 * the account holder out. The cookie is signed, set by a successful sign-in, and grants no access. See OWASP, "Slow
 * Down Online Guessing Attacks with Device Cookies".
 */
import type { GenericEndpointContext } from "better-auth";

import { hexOf } from "../../core/encoding/hex.ts";

const DEVICE_COOKIE_NAME = "device";
/** Browsers limit the lifetime of cookies to 400 days. */
const COOKIE_MAX_AGE_SECONDS = 365 * 86_400;

/** @returns the key of the browser's own counter; null without a valid cookie for this account */
export async function knownDeviceKey(c: GenericEndpointContext, email: string): Promise<string | null> {
  const text = await c.getSignedCookie(deviceCookie(c).name, c.context.secret);
  const [device, account, until] = (text || "").split(".");
  if (!device || account !== (await emailDigest(email)) || Number(until) < Date.now()) return null;
  return `device:${device}`;
}

/** Sets the cookie. To be called only after a successful sign-in. */
export async function setDeviceCookie(c: GenericEndpointContext, email: string): Promise<void> {
  const { name, attributes } = deviceCookie(c);
  const value = [crypto.randomUUID(), await emailDigest(email), Date.now() + COOKIE_MAX_AGE_SECONDS * 1_000].join(".");
  await c.setSignedCookie(name, value, c.context.secret, attributes);
}

function deviceCookie(c: GenericEndpointContext) {
  return c.context.createAuthCookie(DEVICE_COOKIE_NAME, { maxAge: COOKIE_MAX_AGE_SECONDS });
}

async function emailDigest(email: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(email.toLowerCase()));
  return hexOf(new Uint8Array(digest, 0, 16));
}
