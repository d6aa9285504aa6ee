/**
 * A link's password: its stored record, and the cookie of visitors who have sent it. Both need the deployment's secret,
 * so a copy of the database alone can neither be searched for passwords nor used to forge cookies. Pure: random numbers
 * and the time are arguments.
 */
import { keyedDigest } from "../derived-keys.ts";
import { hexOf, utf8 } from "../encoding/bytes.ts";
import { constantTimeEqual } from "../identifiers.ts";
import { HOUR_MS } from "../time.ts";

type Secret = Parameters<typeof keyedDigest>[0];

/** The most that workerd computes. @internal */
export const PASSWORD_ROUNDS = 100_000;
export const PASSWORD_SALT_BYTES = 16;

const KEY_CHARS = 8;

/** `1.<key>.<rounds>.<salt>.<hash>`; the key identifies the secret, and the salt the version of the password. */
const RECORD_PATTERN = /^1\.[\da-f]{8}\.(\d{1,6})\.([\da-f]{32})\.([\da-f]{64})$/;

/** The key of records of a secret, by which those of other secrets are found without their passwords. */
export async function passwordKey(secret: Secret): Promise<string> {
  return hexOf(await keyedDigest(secret, "link-password-key", "")).slice(0, KEY_CHARS);
}

/** @param salt  `PASSWORD_SALT_BYTES` random bytes */
export function passwordRecord(secret: Secret, password: string, salt: Uint8Array): Promise<string> {
  return recordOf(secret, password, PASSWORD_ROUNDS, hexOf(salt));
}

/** False also for a record of another secret, or of an unknown form: such a link stays closed. */
export async function isPasswordOf(secret: Secret, record: string, password: string): Promise<boolean> {
  const [, rounds = "", salt = ""] = RECORD_PATTERN.exec(record) ?? [];
  if (salt === "" || Number(rounds) < 1 || Number(rounds) > PASSWORD_ROUNDS) return false;
  const expected = await recordOf(secret, password, Number(rounds), salt);
  return constantTimeEqual(utf8(expected), utf8(record));
}

/** Keyboards send accented letters in one or two characters, so both are hashed in the same form (NFC). */
async function recordOf(secret: Secret, password: string, rounds: number, salt: string): Promise<string> {
  const key = await crypto.subtle.importKey("raw", utf8(password.normalize("NFC")), "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash: "SHA-256", salt: utf8(salt), iterations: rounds };
  const bits = await crypto.subtle.deriveBits(algorithm, key, 256);
  const hash = await keyedDigest(secret, "link-password", new Uint8Array(bits));
  return `1.${await passwordKey(secret)}.${rounds}.${salt}.${hexOf(hash)}`;
}

/** How long a visitor need not send the password again. */
const UNLOCKED_SECONDS = HOUR_MS / 1000;

/** A request may carry many cookies with the name of a link's. */
const COOKIES_MAX = 4;

interface ProtectedLink {
  id: string;
  /** The record. */
  password: string;
}

/**
 * @param path  of the visit, without the query
 * @param now  epoch ms
 * @returns the `Set-Cookie` header
 */
export async function unlockingCookie(
  secret: Secret,
  link: ProtectedLink,
  { path, isSecure, now }: { path: string; isSecure: boolean; now: number },
): Promise<string> {
  const value = await cookieValue(secret, link, Math.floor(now / 1000) + UNLOCKED_SECONDS);
  const attributes = `Max-Age=${UNLOCKED_SECONDS}; Path=${path}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return `${cookieName(link)}=${value}; ${attributes}`;
}

/** Whether a `Cookie` header has the cookie of this link and password. @param now  epoch ms */
export async function isUnlockedBy(
  secret: Secret,
  link: ProtectedLink,
  cookies: string,
  now: number,
): Promise<boolean> {
  const name = `${cookieName(link)}=`;
  const sent = cookies.split(/;\s*/).filter((cookie) => cookie.startsWith(name));
  for (const cookie of sent.slice(0, COOKIES_MAX)) {
    const value = cookie.slice(name.length);
    const expiresAt = Number(/^(\d{10})\.[\da-f]{64}$/.exec(value)?.[1] ?? 0);
    if (expiresAt * 1000 <= now) continue;
    if (constantTimeEqual(utf8(value), utf8(await cookieValue(secret, link, expiresAt)))) return true;
  }
  return false;
}

function cookieName({ id }: ProtectedLink): string {
  return `hoplink_${id}`;
}

/** @param expiresAt  in seconds since 1970 */
async function cookieValue(secret: Secret, { id, password }: ProtectedLink, expiresAt: number): Promise<string> {
  const version = RECORD_PATTERN.exec(password)?.[2] ?? "";
  const signature = await keyedDigest(secret, "link-password-cookie", `${id}.${version}.${expiresAt}`);
  return `${expiresAt}.${hexOf(signature)}`;
}
