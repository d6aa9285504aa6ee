import type { Mode } from "./account.ts";
import { crc32 } from "./encoding/bytes.ts";
import { isReservedSegment } from "./hosts.ts";
import { DAY_MS, HOUR_MS } from "./time.ts";

/**
 * The format of API keys: `svc_live_` or `svc_test_`, key id (8), secret (32), checksum (6), all base 62. The checksum
 * is the CRC-32 of everything before it: a mistyped key is refused without a look-up, and secret scanners recognize
 * leaked keys without false positives.
 * Operator's tokens are `opr_` and 256 random bits in base 64 for URLs. Pure: creates and parses keys and tokens;
 * stores nothing and does not verify secrets.
 */

const KEY_ID_CHARS = 8;
const KEY_SECRET_CHARS = 32;
const CHECKSUM_CHARS = 6;
export const KEY_RANDOM_WORDS = KEY_ID_CHARS + KEY_SECRET_CHARS;

const KEY_PATTERN = new RegExp(
  `^svc_(live|test)_([0-9A-Za-z]{${KEY_ID_CHARS}})([0-9A-Za-z]{${KEY_SECRET_CHARS}})([0-9A-Za-z]{${CHECKSUM_CHARS}})$`,
);

export interface ApiKeyParts {
  mode: Mode;
  id: string;
  secret: string;
}

/**
 * @param words  `KEY_RANDOM_WORDS` random numbers
 * @returns the key's parts, and its text, which is shown once and never stored
 */
export function newApiKey(mode: Mode, words: Uint32Array): ApiKeyParts & { text: string } {
  const id = randomText(BASE62_ALPHABET, words.subarray(0, KEY_ID_CHARS));
  const secret = randomText(BASE62_ALPHABET, words.subarray(KEY_ID_CHARS, KEY_RANDOM_WORDS));
  const body = `svc_${mode}_${id}${secret}`;
  return { mode, id, secret, text: body + checksum(body) };
}

/** @returns the parts of a well-formed key; null when its shape or checksum is wrong */
export function parseApiKey(text: string): ApiKeyParts | null {
  const [, mode, id, secret, sum] = KEY_PATTERN.exec(text) ?? [];
  if (!id || !secret || (mode !== "live" && mode !== "test")) return null;
  return checksum(`svc_${mode}_${id}${secret}`) === sum ? { mode, id, secret } : null;
}

function checksum(text: string): string {
  return encoded(crc32(new TextEncoder().encode(text)), BASE62_ALPHABET, CHECKSUM_CHARS);
}

/** Compares digests in constant time: the position of the first difference would reveal a secret byte by byte. */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/**
 * Removes anything that looks like an API key, an operator's token or that of a shared page, whole or in part, percent-encoded or not, from
 * request text that is echoed or logged.
 */
export function redactKeys(text: string): string {
  return text
    .replace(/svc(?:_|%5f)(live|test)(?:_|%5f)[\w%]*/gi, "svc_$1_…")
    .replace(/(opr|shr)(?:_|%5f)[\w%-]{8,}/gi, "$1_…");
}

/**
 * `setup` creates the first account; `operator` reads the deployment's health; `backup` reads and restores all data.
 * The others reset how an account holder signs in.
 */
export type OperatorTokenPurpose = "setup" | "operator" | "backup" | ResetKind;

export const RESET_KINDS = ["password", "totp"] as const;
export type ResetKind = (typeof RESET_KINDS)[number];

export const OPERATOR_TOKEN_BYTES = 32;
export const SETUP_TOKEN_TTL_MS = HOUR_MS;
export const RESET_TOKEN_TTL_MS = DAY_MS;
/** Thirty days. */
export const OPERATOR_TOKEN_HOURS_MAX = 720;

const TOKEN_PATTERN = /^opr_[\w-]{43}$/;

/** @param bytes  `OPERATOR_TOKEN_BYTES` random bytes */
export function newOperatorToken(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return `opr_${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** Whether a text has the shape of a token. Anything else costs no look-up. */
export function looksLikeOperatorToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/** The URL with which an account holder resets a password or removes an authenticator app. */
export function resetUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/dashboard/reset#token=${token}`;
}

/**
 * The URL for creating the first account. The token is in the fragment, which browsers send to no server: it appears in
 * no log and no referrer.
 */
export function setupUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/dashboard/setup#token=${token}`;
}

/**
 * Link ids, request ids and random slugs (ids of QR codes: `qr/token.ts`). Random numbers and the time are arguments,
 * so that the caller chooses a cryptographic source.
 */

/**
 * Lower case without the look-alikes 0 o 1 i l, so that a person can read a slug off a poster and type it, and without
 * vowels, so that it spells nothing.
 * `contract/links.ts` defines which characters a custom slug may contain.
 */
const SLUG_ALPHABET = "23456789bcdfghjkmnpqrstvwxz";
const SLUG_RANDOM_CHARS = 7;

/** Crockford's base 32 in lower case: texts of equal length sort like their numbers. */
export const BASE32_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
export const ID_TIME_CHARS = 10;
const ID_RANDOM_CHARS = 16;

export const BASE62_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 32-bit random numbers that one slug or one id consumes. */
export const SLUG_RANDOM_WORDS = SLUG_RANDOM_CHARS;
export const ID_RANDOM_WORDS = ID_RANDOM_CHARS;

/**
 * One character of `alphabet` for each 32-bit random number. Scaling instead of a remainder keeps the bias below 2^-26.
 */
export function randomText(alphabet: string, words: Uint32Array): string {
  return Array.from(words, (word) => alphabet.charAt(Math.floor((word / 2 ** 32) * alphabet.length))).join("");
}

/** A slug of seven characters out of 27: 10 billion possibilities. `v` and six digits is reserved. */
export function randomSlug(words: Uint32Array): string {
  const slug = randomText(SLUG_ALPHABET, words.subarray(0, SLUG_RANDOM_CHARS));
  return isReservedSegment(slug) ? `w${slug.slice(1)}` : slug;
}

/**
 * An id that sorts by creation time: 50 bits of epoch ms, then 80 random bits. Lists in order of `created_at` therefore
 * need no index besides the primary key.
 */
export function timeOrderedId(
  prefix: "acc_" | "req_" | "dom_" | "utm_" | "note_" | "img_" | "shr_",
  at: number,
  words: Uint32Array,
): string {
  return prefix + encodeTime(at) + randomText(BASE32_ALPHABET, words.subarray(0, ID_RANDOM_CHARS));
}

/** 32-bit random numbers that one link id consumes. */
export const LINK_ID_RANDOM_WORDS = ID_RANDOM_CHARS - 2;

/**
 * A link id without its last two characters, which are its bucket (links/buckets.ts). They come last so that the ids of
 * links created together can be in the order of the request.
 */
export function linkIdStem(at: number, words: Uint32Array): string {
  return `lnk_${encodeTime(at)}${randomText(BASE32_ALPHABET, words.subarray(0, LINK_ID_RANDOM_WORDS))}`;
}

/** Enough for 2^40 clicks of a link. */
const CLICK_SEQ_CHARS = 8;

/** The event id of a link's click: ids of one link sort by `seq`. */
export function clickEventId(linkId: string, seq: number): string {
  return `evt_${linkId.slice("lnk_".length)}${encodeBase32(seq, CLICK_SEQ_CHARS)}`;
}

/**
 * The time prefix of an id.
 * @param at  epoch ms
 */
export function encodeTime(at: number): string {
  return encodeBase32(at, ID_TIME_CHARS);
}

/** When an id was created, epoch ms. */
export function idTime(id: string): number {
  const start = id.indexOf("_") + 1;
  const digits = id.slice(start, start + ID_TIME_CHARS);
  return Array.from(digits).reduce((time, digit) => time * BASE32_ALPHABET.length + BASE32_ALPHABET.indexOf(digit), 0);
}

/** @param value  at most 53 bits */
export function encodeBase32(value: number, chars: number): string {
  return encoded(value, BASE32_ALPHABET, chars);
}

function encoded(value: number, alphabet: string, chars: number): string {
  let text = "";
  for (let rest = value, i = 0; i < chars; i++, rest = Math.floor(rest / alphabet.length)) {
    text = alphabet.charAt(rest % alphabet.length) + text;
  }
  return text;
}

/** In place of a link's id: notes that are about all links. */
export const ALL_LINKS = "all";
