/** Calls to the object of a link: its clicks, its statistics, its last known snapshot. */
import type {
  ClickBatch,
  ClicksQuestion,
  Erased,
  Learned,
  ListedClicks,
  Recorded,
  StatsOutcome,
  Unavailable,
} from "../core/link-object.ts";
import { type LinkSnapshot, type ObjectAddress, objectNameOf } from "../core/link-snapshot.ts";
import type { StatsQuestion } from "../core/stats.ts";
import { NoAnswer, within } from "./patience.ts";

/** A change is answered when its object knows it, or after this time: then the outbox sees to it. */
const TELL_PATIENCE_MS = 5_000;
const ERASE_PATIENCE_MS = 10_000;

/** A new stub for each call: one that has failed stays broken. */
function linkObject(env: Env, link: ObjectAddress) {
  return env.LINK_CLICKS.getByName(objectNameOf(link));
}

export async function recordBatch(env: Env, link: ObjectAddress, batch: ClickBatch): Promise<Recorded> {
  return linkObject(env, link).record(batch);
}

export async function readStats(
  env: Env,
  link: ObjectAddress,
  question: StatsQuestion,
): Promise<Exclude<StatsOutcome, Unavailable>> {
  return available(await linkObject(env, link).stats(question));
}

export async function readClicks(
  env: Env,
  link: ObjectAddress,
  question: ClicksQuestion,
): Promise<Exclude<ListedClicks, Unavailable>> {
  return available(await linkObject(env, link).clicks(question));
}

export async function countScans(env: Env, link: ObjectAddress, qr: string): Promise<number> {
  return available(await linkObject(env, link).scans({ qr })).scans;
}

/** @throws NoAnswer when the object is of another release than what is asked, or than what it has stored */
function available<T extends { kind: string }>(outcome: T): Exclude<T, Unavailable> {
  if (outcome.kind === "unavailable") throw new NoAnswer("the object is of an earlier release");
  return outcome as Exclude<T, Unavailable>;
}

/** The link as its object last heard of it: what redirects fall back on when the database does not answer. */
export async function lastKnownLink(env: Env, link: ObjectAddress): Promise<LinkSnapshot | null> {
  return linkObject(env, link).snapshot();
}

/** Follows a link's click log. @returns the object's answer, with a WebSocket when it takes the stream */
export async function followLink(env: Env, link: ObjectAddress, params: URLSearchParams): Promise<Response> {
  return linkObject(env, link).fetch(`https://link/?${params}`, { headers: { Upgrade: "websocket" } });
}

/** Tells the object that somebody listens to the account's stream. If that fails, it hears of it with a click. */
export async function tellListened(env: Env, link: ObjectAddress, since: number): Promise<void> {
  try {
    await linkObject(env, link).listen({ since });
  } catch (error) {
    console.warn("link object not told of a listener", {
      link: objectNameOf(link),
      error: String(error),
    });
  }
}

/** Tells the object of a change. @throws when it cannot be reached, or takes too long */
export async function tellLinkObject(env: Env, snapshot: LinkSnapshot): Promise<void> {
  const { kind } = await within<Learned>(TELL_PATIENCE_MS, linkObject(env, snapshot).learn(snapshot));
  if (kind !== "learned") throw new Error(`the object answered ${kind}`);
}

/** Has the object erase all that it stores. @throws when it cannot be reached, or takes too long */
export async function eraseLinkObject(env: Env, tombstone: LinkSnapshot): Promise<void> {
  await within<Erased>(ERASE_PATIENCE_MS, linkObject(env, tombstone).erase(tombstone));
}
