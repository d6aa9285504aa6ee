/** Calls to the object of a link: its clicks, its statistics, its last known snapshot. */
import type { ClickBatch, ListedClicks, Recorded, StatsOutcome } from "../core/link-object.ts";
import { type LinkSnapshot, objectName } from "../core/link-snapshot.ts";
import type { StatsQuestion } from "../core/stats.ts";

type Address = Pick<LinkSnapshot, "domain" | "slug">;

/** A new stub for each call: one that has failed stays broken. */
function linkObject(env: Env, { domain, slug }: Address) {
  return env.LINK_CLICKS.getByName(objectName(domain, slug));
}

export async function recordBatch(env: Env, link: Address, batch: ClickBatch): Promise<Recorded> {
  return linkObject(env, link).record(batch);
}

export async function readStats(env: Env, link: Address, question: StatsQuestion): Promise<StatsOutcome> {
  return linkObject(env, link).stats(question);
}

export async function readClicks(env: Env, link: Address, after: number, limit: number): Promise<ListedClicks> {
  return linkObject(env, link).clicks(after, limit);
}

export async function countScans(env: Env, link: Address, qr: string): Promise<number> {
  return linkObject(env, link).scans(qr);
}

/** The link as its object last heard of it: what redirects fall back on when the database does not answer. */
export async function lastKnownLink(env: Env, link: Address): Promise<LinkSnapshot | null> {
  return linkObject(env, link).snapshot();
}

/** Follows a link's click log. @returns the object's answer, with a WebSocket when it takes the stream */
export async function followLink(env: Env, link: Address, params: URLSearchParams): Promise<Response> {
  return linkObject(env, link).fetch(`https://link/?${params}`, { headers: { Upgrade: "websocket" } });
}

/** Tells the object that somebody listens to the account's stream. If that fails, it hears of it with a click. */
export async function tellListened(env: Env, link: Address, since: number): Promise<void> {
  try {
    await linkObject(env, link).listen(since);
  } catch (error) {
    console.warn("link object not told of a listener", {
      link: objectName(link.domain, link.slug),
      error: String(error),
    });
  }
}

/**
 * Tells the object of a change. A change that is stored stands even if the object cannot be reached now:
 * every isolate reads the link again within ten seconds.
 */
export async function tellLinkObject(env: Env, snapshot: LinkSnapshot): Promise<void> {
  try {
    await linkObject(env, snapshot).learn(snapshot);
  } catch (error) {
    console.error("link object not told of a change", { link: snapshot.id, error: String(error) });
  }
}
