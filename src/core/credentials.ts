/**
 * The format of API keys: `svc_live_` or `svc_test_`, key id (8), secret (32), checksum (6), all base 62.
 * The checksum is CRC-32 of everything before it: garbage and typing slips are refused before any look-up,
 * and secret scanners find leaked keys without false alarms.
 * Pure: makes and reads keys, stores nothing, compares no secrets.
 */
import type { Mode } from "./account.ts";
import { crc32 } from "./crc32.ts";
import { BASE62_ALPHABET, randomText } from "./identifiers.ts";

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

/** A new key from `KEY_RANDOM_WORDS` random numbers, with the text that is shown once. */
export function newApiKey(mode: Mode, words: Uint32Array): ApiKeyParts & { text: string } {
  const id = randomText(BASE62_ALPHABET, words.subarray(0, KEY_ID_CHARS));
  const secret = randomText(BASE62_ALPHABET, words.subarray(KEY_ID_CHARS, KEY_RANDOM_WORDS));
  const body = `svc_${mode}_${id}${secret}`;
  return { mode, id, secret, text: body + checksum(body) };
}

/** The parts of a well-formed key, or null when its shape or checksum is wrong. */
export function parseApiKey(text: string): ApiKeyParts | null {
  const [, mode, id, secret, sum] = KEY_PATTERN.exec(text) ?? [];
  if (!id || !secret || (mode !== "live" && mode !== "test")) return null;
  return checksum(`svc_${mode}_${id}${secret}`) === sum ? { mode, id, secret } : null;
}

function checksum(text: string): string {
  let digits = "";
  for (
    let rest = crc32(new TextEncoder().encode(text)), i = 0;
    i < CHECKSUM_CHARS;
    i++, rest = Math.floor(rest / BASE62_ALPHABET.length)
  ) {
    digits = BASE62_ALPHABET.charAt(rest % BASE62_ALPHABET.length) + digits;
  }
  return digits;
}

/** Compares digests in a time that does not depend on where they differ. */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/** A text of somebody's, to be told or logged: what looks like a key, whole or in part, escaped or not, is left out. */
export function redactKeys(text: string): string {
  return text.replace(/svc(?:_|%5f)(live|test)(?:_|%5f)[\w%]*/gi, "svc_$1_…");
}
