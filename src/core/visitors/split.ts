/**
 * A visitor's place in the splits of a link: 16 bits, which clicks store and `percent` rules test, so that rules can be
 * tried on stored clicks. Hashes need an even distribution, not secrecy. Pure.
 */

/** The place of visitors without a known address. No visitor with an address has it. */
export const UNKNOWN_SPLIT = 0xffff;
const SPLITS = 2 ** 16;

/**
 * A visitor's place: equal at every visit of a network with one User-Agent to one link.
 * @param userAgentDigest  only its lower 32 bits are used
 */
export function splitOf(linkId: string, network: string, userAgentDigest: number): number {
  // Hashed piece by piece: a joined text would be allocated on every visit.
  const ofNetwork = addText(addText(addText(HASH_START, linkId), "|"), network);
  const hash = mixed(Math.imul(ofNetwork ^ userAgentDigest, HASH_PRIME));
  return Math.min(hash >>> 16, UNKNOWN_SPLIT - 1);
}

/** The place on the scale of `percent`, at least 0 and below 100; null when it is not known. */
export function splitPercent(split: number): number | null {
  return split === UNKNOWN_SPLIT ? null : (split * 100) / SPLITS;
}

/** 32 bits: FNV-1a, then the finalizer of murmur3 to spread similar texts. */
export function hash32(text: string): number {
  return mixed(addText(HASH_START, text));
}

const HASH_START = 0x811c9dc5;
const HASH_PRIME = 0x01000193;

function addText(start: number, text: string): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), HASH_PRIME);
  return hash;
}

function mixed(start: number): number {
  let hash = Math.imul(start ^ (start >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
