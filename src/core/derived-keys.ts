/**
 * Digests under keys that are derived from the deployment's secret, one key for each purpose: a digest for one purpose
 * is never valid for another, and none can be computed or searched without the secret. Pure.
 */
import { utf8 } from "./encoding/bytes.ts";

const HMAC = { name: "HMAC", hash: "SHA-256" };

export type DigestPurpose =
  | "backtest"
  | "request"
  | "request-key"
  | "link-password"
  | "link-password-cookie"
  | "link-password-key"
  | "link-password-network"
  | "share-token"
  | "totp";

/** @throws Error without a secret: anyone could compute the digest */
export async function keyedDigest(
  { BETTER_AUTH_SECRET = "" }: { BETTER_AUTH_SECRET?: string },
  purpose: DigestPurpose,
  message: string | Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  if (BETTER_AUTH_SECRET === "") throw new Error("BETTER_AUTH_SECRET is not set");
  const key = await hmac(utf8(BETTER_AUTH_SECRET), utf8(`derived key: ${purpose}`));
  return hmac(key, typeof message === "string" ? utf8(message) : message);
}

async function hmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const imported = await crypto.subtle.importKey("raw", new Uint8Array(key), HMAC, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign(HMAC.name, imported, new Uint8Array(message)));
}
