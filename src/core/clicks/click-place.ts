/** Places in the click log of an account, from which a client can continue. Pure. */
import { timestamp } from "../time.ts";

/**
 * A place in the order of an account's clicks: by time, then by link id, then by the click's number in its log. It
 * consists of three columns of a click, so a client can continue after any row. It stays valid when clicks of other
 * links are erased.
 */
export interface ClickPlace {
  /** Epoch ms. */
  at: number;
  linkId: string;
  seq: number;
}

const PLACE =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z),(lnk_[0-9a-z]{1,60}),([1-9][0-9]{0,14})$/;

export function placeText({ at, linkId, seq }: ClickPlace): string {
  return `${timestamp(at)},${linkId},${seq}`;
}

/** @returns null if the text is not a place */
export function parsePlace(text: string): ClickPlace | null {
  const [, time = "", linkId = "", seq = ""] = PLACE.exec(text) ?? [];
  const at = Date.parse(time);
  return Number.isNaN(at) ? null : { at, linkId, seq: Number(seq) };
}

/** Negative if the first place is before the second. */
export function comparePlaces(one: ClickPlace, other: ClickPlace): number {
  return one.at - other.at || (one.linkId < other.linkId ? -1 : one.linkId > other.linkId ? 1 : one.seq - other.seq);
}
