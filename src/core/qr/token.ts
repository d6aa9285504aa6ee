/**
 * Ids of QR codes and the token that marks a visit as a scan. The id is `qr_` and the token; the token ends with a
 * checksum of its beginning (SipHash-2-4), keyed with the link's secret. A redirect can therefore verify a token
 * without a database read: a code is valid as soon as it is created, and forged ones are rejected.
 * Pure: time, random numbers and the secret are arguments.
 */
import { boundedMemo } from "../generation-cache.ts";
import { hexOf } from "../hex.ts";
import { encodeBase32, BASE32_ALPHABET, ID_TIME_CHARS, randomText, encodeTime } from "../identifiers.ts";

const PREFIX = "qr_";
const RANDOM_CHARS = 6;
const PAYLOAD_CHARS = ID_TIME_CHARS + RANDOM_CHARS;
const TOKEN_CHECKSUM_CHARS = 10;
const TOKEN_PATTERN = new RegExp(`^[${BASE32_ALPHABET}]{${PAYLOAD_CHARS + TOKEN_CHECKSUM_CHARS}}$`);

/** 32-bit random numbers that one id consumes. */
export const QR_ID_RANDOM_WORDS = RANDOM_CHARS;

/** The secret of a link: 32 hex digits. */
export type QrKey = string;

/** @param random  16 bytes */
export function qrKeyOf(random: Uint8Array): QrKey {
  return hexOf(random);
}

/** @returns an id that sorts by creation time: 50 bits of epoch ms, 30 random bits, 50 bits of checksum */
export function newQrId(key: QrKey, at: number, words: Uint32Array): string {
  const head = encodeTime(at) + randomText(BASE32_ALPHABET, words.subarray(0, RANDOM_CHARS));
  return PREFIX + head + checksumOf(key + head);
}

export function scanUrl(shortUrl: string, id: string): string {
  return `${shortUrl}?qr=${id.slice(PREFIX.length)}`;
}

export interface Scan {
  /** Id of the scanned code; null when the visit is not a scan, or its token is not valid for this link. */
  qr: string | null;
  /** The query string without the token. */
  search: string;
}

/**
 * Extracts and verifies the token.
 * @param search  query string without the question mark
 */
export function readScan(key: QrKey, search: string): Scan {
  if (!search.includes("qr=") || key === "") return { qr: null, search };
  const parts = search.split("&");
  // Only the first candidate is verified, so a query string with many `qr=` cannot consume CPU.
  const index = parts.findIndex((part) => part.startsWith("qr=") && TOKEN_PATTERN.test(part.slice("qr=".length)));
  const token = parts[index]?.slice("qr=".length) ?? "";
  if (token === "" || checksumOf(key + token.slice(0, PAYLOAD_CHARS)) !== token.slice(PAYLOAD_CHARS))
    return { qr: null, search };
  parts.splice(index, 1);
  return { qr: PREFIX + token, search: parts.join("&") };
}

const KEY_CHARS = 32;
const MEMO_MAX_ENTRIES = 2_000;

/**
 * Memoised, because one printed code is scanned many times.
 * @returns the top 50 bits of the hash; the input is the key followed by the message
 */
const checksumOf = boundedMemo(MEMO_MAX_ENTRIES, (keyed) => {
  const hash = sipHash(bytesOf(keyed.slice(0, KEY_CHARS)), new TextEncoder().encode(keyed.slice(KEY_CHARS)));
  return encodeBase32(Number(hash >> BigInt(64 - TOKEN_CHECKSUM_CHARS * 5)), TOKEN_CHECKSUM_CHARS);
});

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/**
 * SipHash-2-4 (Aumasson and Bernstein, 2012).
 * @param key  16 bytes
 * @internal
 */
export function sipHash(key: Uint8Array, message: Uint8Array): bigint {
  const [k0, k1] = [word(key, 0), word(key, 8)];
  const state = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ];
  const padded = new Uint8Array(message.length - (message.length % 8) + 8);
  padded.set(message);
  padded[padded.length - 1] = message.length;
  for (let at = 0; at < padded.length; at += 8) {
    const block = word(padded, at);
    state[3] = (state[3] ?? 0n) ^ block;
    rounds(state, 2);
    state[0] = (state[0] ?? 0n) ^ block;
  }
  state[2] = (state[2] ?? 0n) ^ 0xffn;
  rounds(state, 4);
  return state.reduce((hash, part) => hash ^ part, 0n);
}

function rounds(state: bigint[], count: number): void {
  let [v0 = 0n, v1 = 0n, v2 = 0n, v3 = 0n] = state;
  for (let i = 0; i < count; i++) {
    v0 = u64(v0 + v1);
    v1 = rotated(v1, 13n) ^ v0;
    v0 = rotated(v0, 32n);
    v2 = u64(v2 + v3);
    v3 = rotated(v3, 16n) ^ v2;
    v0 = u64(v0 + v3);
    v3 = rotated(v3, 21n) ^ v0;
    v2 = u64(v2 + v1);
    v1 = rotated(v1, 17n) ^ v2;
    v2 = rotated(v2, 32n);
  }
  state.splice(0, 4, v0, v1, v2, v3);
}

function word(bytes: Uint8Array, at: number): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true);
}

function rotated(value: bigint, by: bigint): bigint {
  return u64(value << by) | (value >> (64n - by));
}

function u64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
