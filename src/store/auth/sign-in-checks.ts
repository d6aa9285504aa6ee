/**
 * Checks that the service adds to better-auth's: limits on stored values, counts of attempts, user verification for
 * passkeys.
 */
import type { GenericEndpointContext } from "better-auth";
import { APIError, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";

import { SETUP_CHECK_EMAIL } from "../../core/account.ts";
import { CODE_MAX_CHARS, EMAIL_MAX_CHARS } from "../../core/contract/dashboard.ts";
import { hexOf, sha256 } from "../../core/encoding/bytes.ts";
import { suspensionText } from "../../core/deployment/settings.ts";
import { NAME_MAX_CHARS } from "../../core/limits.ts";
import { networkOf } from "../../core/visitors/visitor.ts";
import { findAccountByEmail, suspendedSince } from "../accounts/accounts.ts";
import { consumeRate, countHourlyAttempt, uncountAttempts } from "../accounts/rate-limits.ts";
import { acceptCode, readTotp } from "./totp.ts";
import { changeRows, queryRow } from "../statements.ts";

const IMAGE_MAX_CHARS = 2_048;

const PASSKEY_REGISTRATION_PATHS: ReadonlySet<string> = new Set([
  "/passkey/generate-register-options",
  "/passkey/verify-registration",
]);
const STORED_PASSKEY_PATHS: ReadonlySet<string> = new Set(["/passkey/verify-registration", "/passkey/update-passkey"]);
const TRANSPORTS_MAX = 10;
const TRANSPORT_MAX_CHARS = 32;
/** 1,023 bytes as base64url, the most that WebAuthn allows. */
const CREDENTIAL_ID_MAX_CHARS = 1_364;
/** A trigger enforces the same limit against concurrent requests (schema.sql). */
const PASSKEYS_MAX = 25;

/** Anyone who finds a signed-in browser must not be able to add a passkey, which would outlive the session. */
const PASSKEY_SIGN_IN_MAX_AGE_MS = 5 * 60_000;

/** Its request body is stored with the state until the next day, even for strangers. */
const OAUTH_PATH = "/sign-in/social";
/** Tokens of GitHub and Google have a few kilobytes. */
const OAUTH_BODY_MAX_CHARS = 16_384;

/** These end a session, start one (checked on creation), or read it, which the service checks itself. */
const UNCHECKED_PATHS =
  /^\/(sign-|callback\/|get-session$|passkey\/(generate-authenticate-options|verify-authentication)$)/;

/** These authenticate. Loading a page or changing the profile also sets the session's cookie, but proves nothing. */
const SIGN_IN_PATHS = /^\/(sign-in\/|sign-up\/|callback\/|(passkey\/verify-authentication|change-password)$)/;

/** A suspended account can read or change nothing, nor start anything that outlives its suspension. @throws APIError */
export async function refuseSuspended(env: Env, accountId: string): Promise<void> {
  if ((await suspendedSince(env, accountId)) === null) return;
  throw new APIError("FORBIDDEN", { code: "ACCOUNT_SUSPENDED", message: suspensionText(env) });
}

/** A sign-in with a password that is under way. */
export interface PasswordSignIn {
  /** Of the authenticator app; "" if none was sent. */
  code: string;
  network: string;
  /** The browser's own counter of attempts, if the account holder has signed in there before. */
  deviceKey: string | null;
}

/** A code has six digits: even 10 guesses an hour find it only with a probability of 1 in 30,000. */
const CODE_ATTEMPTS_MAX_PER_HOUR = 10;
const NETWORK_CODE_ATTEMPTS_MAX_PER_HOUR = 50;

/**
 * Requires the code of the account's authenticator app, if it has one. Runs when the password is right, before the
 * session exists, so only someone who knows the password can use up the attempts.
 * @throws APIError
 */
export async function requireCode(
  env: Env,
  accountId: string,
  { code, network, deviceKey }: PasswordSignIn,
): Promise<void> {
  if (!(await readTotp(env, accountId))) return;
  if (code === "") throw new APIError("UNAUTHORIZED", { code: "CODE_REQUIRED", message: "Send the code of your app." });
  const now = Date.now();
  const limits: [key: string, max: number][] = [
    [`${network}|code`, NETWORK_CODE_ATTEMPTS_MAX_PER_HOUR],
    [`${deviceKey ?? accountId}|code`, CODE_ATTEMPTS_MAX_PER_HOUR],
  ];
  for (const [key, max] of limits) {
    const seconds = await countHourlyAttempt(env, key, max, now);
    if (seconds > 0) throw tooManyAttempts(seconds);
  }
  if (!(await acceptCode(env, accountId, code, now))) {
    throw new APIError("UNAUTHORIZED", { code: "INVALID_CODE", message: "The code is wrong or was already used." });
  }
  const counted = limits.map(([key]) => key);
  await uncountAttempts(env, counted);
}

/** @param onPassword  called before the password is checked */
export function beforeRequest(env: Env, onPassword: (attempt: PasswordSignIn) => void) {
  return createAuthMiddleware(async (c) => {
    const signedIn = UNCHECKED_PATHS.test(c.path) ? null : await getSessionFromCtx(c, { disableRefresh: true });
    if (signedIn) await refuseSuspended(env, signedIn.user.id);
    const { email, password, newPassword, code } = (c.body ?? {}) as Record<string, unknown>;
    if (c.path === "/sign-up/email" || c.path === "/sign-in/email") checkEmail(email);
    if (c.path === "/sign-up/email") checkPassword(password);
    // Also counted per account: better-auth counts per IP address, and an attacker may have many.
    if (c.path === "/sign-in/email" && typeof email === "string") {
      const deviceKey = await knownDeviceKey(c, env, email);
      await countAttempt(env, deviceKey ?? `email:${email.toLowerCase()}`);
      const network = networkOf(c.headers ?? new Headers()) ?? "";
      onPassword({ code: isText(code, CODE_MAX_CHARS) ? code : "", network, deviceKey });
    }
    if (c.path === OAUTH_PATH) checkOAuthBody(c.body);
    if (STORED_PASSKEY_PATHS.has(c.path)) checkPasskey((c.body ?? {}) as Record<string, unknown>);
    if (signedIn && PASSKEY_REGISTRATION_PATHS.has(c.path)) {
      checkIsNew(signedIn.session);
      await checkPasskeyQuota(env, signedIn.user.id);
    }
    if (c.path !== "/change-password") return undefined;
    checkPassword(newPassword);
    if (signedIn) await countAttempt(env, signedIn.user.id);
    // A password is often changed because it leaked, so this ends sessions that an attacker may have opened with it.
    return { context: { body: { ...c.body, revokeOtherSessions: true } } };
  });
}

export function afterRequest(env: Env) {
  return createAuthMiddleware(async (c) => {
    // The service's own call has no request: it checks the suspension itself.
    const returned = (c.context.returned ?? {}) as { user?: { id: string }; challenge?: string };
    if (c.path === "/get-session" && c.request && returned.user) await refuseSuspended(env, returned.user.id);
    const signedIn = c.context.newSession;
    if (signedIn && c.path === "/change-password" && c.body?.keepPasskeys !== true) {
      await removePasskeys(env, signedIn.user.id);
    }
    if (signedIn && SIGN_IN_PATHS.test(c.path)) await setDeviceCookie(c, signedIn.user.id);
    // better-auth's plugin has no option for this.
    if (c.path === "/passkey/generate-authenticate-options" && returned.challenge !== undefined) {
      return c.json({ ...returned, userVerification: "required" });
    }
    return undefined;
  });
}

/** A passkey is the only factor, so its authenticator must verify the user; possession of the device is not enough. */
export const passkeyUserVerification = {
  registration: {
    afterVerification: ({ verification }: { verification: { registrationInfo?: { userVerified: boolean } } }): void =>
      requireUserVerified(verification.registrationInfo?.userVerified),
  },
  authentication: {
    afterVerification: ({ verification }: { verification: { authenticationInfo: { userVerified: boolean } } }): void =>
      requireUserVerified(verification.authenticationInfo.userVerified),
  },
};

function requireUserVerified(verified: boolean | undefined): void {
  if (verified) return;
  throw new APIError("UNAUTHORIZED", {
    code: "USER_NOT_VERIFIED",
    message: "The passkey must verify you with a fingerprint, a face or a PIN.",
  });
}

function checkEmail(email: unknown): void {
  if (typeof email !== "string") return;
  const isReserved = email.toLowerCase() === SETUP_CHECK_EMAIL;
  if (email.length <= EMAIL_MAX_CHARS && !isReserved) return;
  throw new APIError("BAD_REQUEST", {
    code: "INVALID_EMAIL",
    message: isReserved
      ? "This address is reserved."
      : `The email address must have at most ${EMAIL_MAX_CHARS} characters.`,
  });
}

/** better-auth checks the length. */
function checkPassword(password: unknown): void {
  if (typeof password !== "string" || password.trim() !== "") return;
  throw new APIError("BAD_REQUEST", {
    code: "PASSWORD_BLANK",
    message: "The password must not consist only of whitespace.",
  });
}

function checkOAuthBody(body: unknown): void {
  const isBounded = JSON.stringify(body ?? null).length <= OAUTH_BODY_MAX_CHARS;
  if (isBounded && (body as { additionalData?: unknown } | null)?.additionalData === undefined) return;
  throw new APIError("BAD_REQUEST", { message: "The request has fields that a sign-in does not accept." });
}

function isText(value: unknown, maxChars: number): value is string {
  return typeof value === "string" && value.length <= maxChars;
}

/** Limits the profile that a browser, GitHub or Google sends: it is stored, and read with every session. */
export async function checkProfile({ name, image, email }: Record<string, unknown>): Promise<void> {
  checkEmail(email);
  const namedWell = name === undefined || isText(name, NAME_MAX_CHARS);
  if (namedWell && (image === undefined || image === null || isText(image, IMAGE_MAX_CHARS))) return;
  throw new APIError("BAD_REQUEST", { message: `The name must have at most ${NAME_MAX_CHARS} characters.` });
}

/** Limits the browser's data about a passkey that is stored. */
function checkPasskey({ name = "", response }: Record<string, unknown>): void {
  const { id = "", response: made } = (response ?? {}) as Record<string, unknown>;
  const { transports = [] } = (made ?? {}) as Record<string, unknown>;
  const areKnown =
    Array.isArray(transports) &&
    transports.length <= TRANSPORTS_MAX &&
    transports.every((transport) => isText(transport, TRANSPORT_MAX_CHARS));
  if (isText(name, NAME_MAX_CHARS) && isText(id, CREDENTIAL_ID_MAX_CHARS) && areKnown) return;
  throw new APIError("BAD_REQUEST", {
    message: `The name of a passkey must have at most ${NAME_MAX_CHARS} characters.`,
  });
}

/** Someone who knew the previous password may have added one. */
async function removePasskeys({ DB }: Pick<Env, "DB">, accountId: string): Promise<void> {
  await changeRows(DB, "DELETE FROM passkeys WHERE account_id = ?1", [accountId]);
}

function checkIsNew({ createdAt }: { createdAt: Date }): void {
  if (Date.now() - createdAt.getTime() < PASSKEY_SIGN_IN_MAX_AGE_MS) return;
  throw new APIError("FORBIDDEN", { code: "SESSION_NOT_FRESH", message: "Sign in again first." });
}

async function checkPasskeyQuota(env: Env, accountId: string): Promise<void> {
  const sql = "SELECT count(*) AS n FROM passkeys WHERE account_id = ?1";
  const count = await queryRow<{ n: number }>(env.DB, sql, [accountId]);
  if ((count?.n ?? 0) < PASSKEYS_MAX) return;
  const message = `This account has ${PASSKEYS_MAX} passkeys, the maximum. Remove one first.`;
  throw new APIError("UNPROCESSABLE_ENTITY", { code: "QUOTA_EXCEEDED", message });
}

async function countAttempt(env: Env, key: string): Promise<void> {
  const seconds = await consumeRate(env.SIGN_IN, key);
  if (seconds === null) return;
  throw tooManyAttempts(seconds);
}

function tooManyAttempts(seconds: number): APIError {
  const message = "Too many requests. Please try again later.";
  return new APIError("TOO_MANY_REQUESTS", { message }, { "X-Retry-After": String(seconds) });
}

/**
 * Browsers with an earlier sign-in. Sign-in attempts are counted by email address, since an attacker has many IP
 * addresses; a browser with a valid device cookie has its own counter, so an attacker who guesses passwords cannot lock
 * the account holder out. The cookie is signed, set by a successful sign-in, and grants no access. See OWASP, "Slow
 * Down Online Guessing Attacks with Device Cookies".
 */
const DEVICE_COOKIE_NAME = "device";
/** Browsers limit the lifetime of cookies to 400 days. */
const COOKIE_MAX_AGE_SECONDS = 365 * 86_400;

/**
 * The cookie names the account, not its email address: an address may have belonged to another account.
 * @returns the key of the browser's own counter; null without a valid cookie for this account
 */
async function knownDeviceKey(c: GenericEndpointContext, env: Env, email: string): Promise<string | null> {
  const text = await c.getSignedCookie(deviceCookie(c).name, c.context.secret);
  const [device, digest, until] = (text || "").split(".");
  if (!device || Number(until) < Date.now()) return null;
  const account = await findAccountByEmail(env, email.toLowerCase());
  return account && digest === (await accountDigest(account.id)) ? `device:${device}` : null;
}

/** Sets the cookie. Call this only after a successful sign-in. */
async function setDeviceCookie(c: GenericEndpointContext, accountId: string): Promise<void> {
  const { name, attributes } = deviceCookie(c);
  const until = Date.now() + COOKIE_MAX_AGE_SECONDS * 1_000;
  const value = [crypto.randomUUID(), await accountDigest(accountId), until].join(".");
  await c.setSignedCookie(name, value, c.context.secret, attributes);
}

function deviceCookie(c: GenericEndpointContext) {
  return c.context.createAuthCookie(DEVICE_COOKIE_NAME, { maxAge: COOKIE_MAX_AGE_SECONDS });
}

async function accountDigest(accountId: string): Promise<string> {
  return hexOf((await sha256(accountId)).subarray(0, 16));
}
