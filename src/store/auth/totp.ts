/**
 * Authenticator apps (TOTP, RFC 6238), a second factor of sign-ins with the account's password. Passkeys and the
 * accounts of GitHub and Google have their own. SHA-1, six digits and 30 seconds, which every app supports.
 */
import { keyedDigest } from "../../core/derived-keys.ts";
import { fromHex, hexOf, joinedBytes, sha256, utf8 } from "../../core/encoding/bytes.ts";
import { BASE32_ALPHABET, constantTimeEqual, randomText } from "../../core/identifiers.ts";
import { timestamp } from "../../core/time.ts";
import type { TotpInfo } from "../../core/contract/dashboard.ts";
import { queryRow, changeRows } from "../statements.ts";

const STEP_MS = 30_000;
const DIGITS = 6;
const NONCE_BYTES = 12;

const RECOVERY_CODES = 10;
/** 80 random bits: a fast hash of a code cannot be searched. */
const RECOVERY_CODE_CHARS = 16;

interface FactorRow {
  secret: string;
  last_step: number;
}

/** @returns null without an authenticator app */
export async function readTotp({ DB }: Pick<Env, "DB">, accountId: string): Promise<TotpInfo | null> {
  const sql = `SELECT enabled_at, json_array_length(recovery_codes) AS codes FROM totp_factors WHERE account_id = ?1`;
  const row = await queryRow<{ enabled_at: number; codes: number }>(DB, sql, [accountId]);
  return row && { enabled_at: timestamp(row.enabled_at), recovery_codes_left: row.codes };
}

/**
 * Adds an app, which must show a valid code first: an app with a wrong clock would lock the holder out.
 * @param secret  hex
 * @param now  epoch ms
 * @returns recovery codes, which cannot be read again; null if the code is wrong or the account has an app
 */
export async function enableTotp(
  env: Env,
  accountId: string,
  { secret, code }: { secret: string; code: string },
  now: number,
): Promise<string[] | null> {
  const bytes = fromHex(secret);
  const step = await matchingStep(bytes, code, now);
  if (step === null) return null;
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, await keyOf(env, accountId), bytes);
  const stored = hexOf(joinedBytes([nonce, new Uint8Array(sealed)]));
  const { codes, digests } = await newRecoveryCodes();
  const sql = `INSERT INTO totp_factors (account_id, secret, last_step, recovery_codes, enabled_at)
    VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING`;
  return (await changeRows(env.DB, sql, [accountId, stored, step, digests, now])) > 0 ? codes : null;
}

/** Replaces the recovery codes. @returns null without an authenticator app */
export async function replaceRecoveryCodes({ DB }: Pick<Env, "DB">, accountId: string): Promise<string[] | null> {
  const { codes, digests } = await newRecoveryCodes();
  const sql = "UPDATE totp_factors SET recovery_codes = ?2 WHERE account_id = ?1";
  return (await changeRows(DB, sql, [accountId, digests])) > 0 ? codes : null;
}

export async function removeTotp({ DB }: Pick<Env, "DB">, accountId: string): Promise<void> {
  await changeRows(DB, "DELETE FROM totp_factors WHERE account_id = ?1", [accountId]);
}

/**
 * Whether a code of the app or a recovery code is right. The accepting statement checks that it is unused, so of two
 * requests at once only one is accepted.
 * @param now  epoch ms
 */
export async function acceptCode(env: Env, accountId: string, sent: string, now: number): Promise<boolean> {
  const code = sent.replaceAll(/[\s-]/g, "").toLowerCase();
  const { DB } = env;
  if (code.length === RECOVERY_CODE_CHARS) {
    const sql = `UPDATE totp_factors SET recovery_codes =
        (SELECT json_group_array(value) FROM json_each(recovery_codes) WHERE value <> ?2)
      WHERE account_id = ?1 AND EXISTS (SELECT 1 FROM json_each(recovery_codes) WHERE value = ?2)`;
    return (await changeRows(DB, sql, [accountId, hexOf(await sha256(code))])) > 0;
  }
  const read = "SELECT secret, last_step FROM totp_factors WHERE account_id = ?1";
  const row = await queryRow<FactorRow>(DB, read, [accountId]);
  const secret = row && (await unseal(env, accountId, fromHex(row.secret)));
  const step = secret && (await matchingStep(secret, code, now));
  if (step === null) return false;
  const sql = "UPDATE totp_factors SET last_step = ?2 WHERE account_id = ?1 AND last_step < ?2";
  return (await changeRows(DB, sql, [accountId, step])) > 0;
}

/** Each account has its own key, so that a row is worthless to another account. */
async function keyOf(env: Env, accountId: string): Promise<CryptoKey> {
  const bytes = await keyedDigest(env, "totp", accountId);
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** @returns null for a row of another deployment's secret: only a recovery code or the operator can help */
async function unseal(env: Env, accountId: string, sealed: Uint8Array): Promise<Uint8Array<ArrayBuffer> | null> {
  const key = await keyOf(env, accountId);
  const algorithm = { name: "AES-GCM", iv: sealed.slice(0, NONCE_BYTES) };
  const secret = await crypto.subtle.decrypt(algorithm, key, sealed.slice(NONCE_BYTES)).catch(() => null);
  if (!secret) console.warn("authenticator app belongs to another BETTER_AUTH_SECRET", { account: accountId });
  return secret && new Uint8Array(secret);
}

/** The step of a code: clocks may differ by one. */
async function matchingStep(secret: Uint8Array<ArrayBuffer>, code: string, now: number): Promise<number | null> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
  const current = Math.floor(now / STEP_MS);
  let found: number | null = null;
  for (const step of [current - 1, current, current + 1]) {
    if (constantTimeEqual(utf8(await codeAt(key, step)), utf8(code))) found = step;
  }
  return found;
}

async function codeAt(key: CryptoKey, step: number): Promise<string> {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, counter.buffer));
  const number = mac.getUint32(mac.getUint8(mac.byteLength - 1) & 15) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

async function newRecoveryCodes(): Promise<{ codes: string[]; digests: string }> {
  const texts = Array.from({ length: RECOVERY_CODES }, () =>
    randomText(BASE32_ALPHABET, crypto.getRandomValues(new Uint32Array(RECOVERY_CODE_CHARS))),
  );
  const digests = JSON.stringify(await Promise.all(texts.map(async (text) => hexOf(await sha256(text)))));
  return { codes: texts.map((text) => text.replaceAll(/.{4}(?=.)/g, "$&-")), digests };
}
