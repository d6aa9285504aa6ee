/**
 * Represents each visitor of an account by 48 bits per day, so that visitors can be counted: a hash of the network and
 * the User-Agent with the secret salt of the UTC day. Salts are erased after 48 hours
 * (src/maintenance/visitor-salts.ts); from then on no one can recompute the hash of an address. Pure: the salts are
 * arguments.
 */
import type { Mode } from "../account.ts";
import { MINUTE_MS, utcDay } from "../time.ts";
import { SipHash } from "./siphash.ts";

/** 48 bits; never the hash of a visitor. */
export const UNKNOWN_VISITOR = 0;

/** How long a day's salt is still provided and cached after the day's end: clocks differ, and clicks wait. */
const GRACE_MS = 5 * MINUTE_MS;

/** Identifies a visitor within a day. Must not be stored or logged. */
export interface VisitorIdentity {
  /** Null if the edge reports no address. */
  readonly network: string | null;
  readonly userAgentDigest: number;
}

export interface VisitorSalt {
  /** UTC day, counted from 1970. */
  day: number;
  /** 128 random bits. */
  salt: Uint8Array;
}

/** A visitor whose day's salt is not yet known. */
export interface UnhashedVisitor {
  day: number;
  network: string;
  userAgentDigest: number;
}

/** The account and mode for which visitors are counted. */
export interface VisitorOwner {
  accountId: string;
  mode: Mode;
}

/** The days whose salts may be needed, in order. @param now  epoch ms */
export function saltDays(now: number): number[] {
  const [first, today] = [utcDay(now - GRACE_MS), utcDay(now)];
  return first === today ? [today, today + 1] : [first, today, today + 1];
}

export class VisitorHashes {
  readonly #byDay = new Map<number, SipHash>();
  #firstDay = 0;

  has(day: number): boolean {
    return this.#byDay.has(day);
  }

  learn(salts: readonly VisitorSalt[]): void {
    for (const { day, salt } of salts) if (!this.has(day)) this.#byDay.set(day, new SipHash(salt));
  }

  /** Drops the salts of past days. @param now  epoch ms */
  forget(now: number): void {
    const firstDay = utcDay(now - GRACE_MS);
    if (firstDay === this.#firstDay) return;
    this.#firstDay = firstDay;
    for (const day of this.#byDay.keys()) if (day < firstDay) this.#byDay.delete(day);
  }

  /** @returns null if the day's salt is not known yet */
  hash(owner: VisitorOwner, day: number, network: string, userAgentDigest: number): number | null {
    const hash = this.#byDay.get(day);
    if (!hash) return null;
    hash.text(owner.accountId).text("|").text(owner.mode).text("|").text(network).text("|");
    return hash.number48(userAgentDigest).digest() || 1;
  }
}

const publicHash = new SipHash(new Uint8Array(16));

/** 48 bits that distinguish User-Agents; the text can be guessed from them. */
export function userAgentDigest(userAgent: string): number {
  return publicHash.text(userAgent).digest();
}
