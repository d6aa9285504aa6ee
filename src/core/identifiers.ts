/**
 * Link ids, request ids and random slugs (ids of QR codes: `qr/token.ts`). Pure: random numbers and the time are
 * arguments, so that the caller chooses a cryptographic source.
 */

import { isReservedSegment } from "./hosts.ts";

/**
 * Lower case without the look-alikes 0 o 1 i l, so that a person can read a slug off a poster and type it. What a chosen
 * slug may contain: `contract/links.ts`.
 */
const SLUG_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const SLUG_RANDOM_CHARS = 7;

/** Crockford's base 32 in lower case: texts of one length sort like their numbers. */
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

/** A slug of seven characters out of 31: 27 billion possible ones. `v` and six digits is reserved. */
export function randomSlug(words: Uint32Array): string {
  const slug = randomText(SLUG_ALPHABET, words.subarray(0, SLUG_RANDOM_CHARS));
  return isReservedSegment(slug) ? `w${slug.slice(1)}` : slug;
}

/**
 * An id that sorts by creation time: 50 bits of epoch ms, then 80 random bits. Lists in order of `created_at` therefore
 * need no index besides the primary key.
 */
export function timeOrderedId(prefix: "acc_" | "req_" | "dom_", at: number, words: Uint32Array): string {
  return prefix + encodeTime(at) + randomText(BASE32_ALPHABET, words.subarray(0, ID_RANDOM_CHARS));
}

/** 32-bit random numbers that one id of a link consumes. */
export const LINK_ID_RANDOM_WORDS = ID_RANDOM_CHARS - 2;

/**
 * The id of a link without its last two characters, which are its bucket (links/buckets.ts). They come last so that the
 * ids of links that are made together can be in the order of the request.
 */
export function linkIdStem(at: number, words: Uint32Array): string {
  return `lnk_${encodeTime(at)}${randomText(BASE32_ALPHABET, words.subarray(0, LINK_ID_RANDOM_WORDS))}`;
}

/** Enough for 2^40 clicks of a link. */
const CLICK_SEQ_CHARS = 8;

/** The id of a link's click as an event: those of one link sort by `seq`. */
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

/** @param value  at most 53 bits */
export function encodeBase32(value: number, chars: number): string {
  let text = "";
  for (let rest = value, i = 0; i < chars; i++, rest = Math.floor(rest / 32)) {
    text = BASE32_ALPHABET.charAt(rest % 32) + text;
  }
  return text;
}
