/**
 * Ids of QR codes, and the token that marks a visit as a scan. The id is `qr_` and the token; the token ends with a
 * checksum of its beginning (SipHash-2-4), keyed with the link's secret. A redirect can therefore verify a token
 * without a database read: a code is valid as soon as it is created, and forged ones are rejected.
 * Pure: time, random numbers and the secret are arguments.
 */
import { fromHex, hexOf } from "../encoding/bytes.ts";
import { BASE32_ALPHABET, encodeBase32, encodeTime, ID_TIME_CHARS, randomText } from "../identifiers.ts";
import { boundedMemo } from "../memory/caches.ts";
import { SipHash } from "../visitors/siphash.ts";

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
  /** Id of the scanned code; null if the visit is not a scan, or its token is not valid for this link. */
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
 * Memoized, because one printed code is scanned many times.
 * @returns the top 50 bits of the hash; the input is the key followed by the message
 */
const checksumOf = boundedMemo(MEMO_MAX_ENTRIES, (keyed) => {
  const hash = new SipHash(fromHex(keyed.slice(0, KEY_CHARS))).text(keyed.slice(KEY_CHARS)).digest64();
  return encodeBase32(Number(hash >> BigInt(64 - TOKEN_CHECKSUM_CHARS * 5)), TOKEN_CHECKSUM_CHARS);
});
