/**
 * Calls to the object of a link: its clicks, its statistics, its last known snapshot.
 * That is the object of its address, so it is found without the database. Only where that one keeps the clicks of another
 * link, which a database that was set back has lost, the link has an object of its own.
 */
import type {
  ClickBatch,
  ClicksQuestion,
  Erased,
  Learned,
  ListedClicks,
  OtherLink,
  Recorded,
  ScansOutcome,
  StatsOutcome,
  Unavailable,
} from "../core/link-object.ts";
import { type LinkSnapshot, type ObjectAddress, objectNameOf, ownObjectName } from "../core/link-snapshot.ts";
import { OTHER_LINK } from "../core/live-stream.ts";
import type { StatsQuestion } from "../core/stats.ts";
import { NoAnswer, within } from "./patience.ts";

/** A change is answered when its object knows it, or after this time: then the outbox sees to it. */
const TELL_PATIENCE_MS = 5_000;
const ERASE_PATIENCE_MS = 10_000;

/** A link is succeeded when its domain has changed hands, or when a database that was set back has lost it. */
const SUCCESSORS_MAX = 5;

type Link = ObjectAddress & Pick<LinkSnapshot, "id">;
/** A new one for each call: one that has failed stays broken. */
type LinkObject = ReturnType<Env["LINK_CLICKS"]["getByName"]>;

function linkObject(env: Env, link: ObjectAddress): LinkObject {
  return env.LINK_CLICKS.getByName(objectNameOf(link));
}

/** Asks the object of a link's address, and the link's own when that one has another link's clicks. */
async function askObject<T extends { kind: string }>(
  env: Env,
  link: Link,
  question: (object: LinkObject) => Promise<T>,
): Promise<Exclude<T, OtherLink>> {
  let outcome = await question(linkObject(env, link));
  if (outcome.kind === "other_link") outcome = await question(env.LINK_CLICKS.getByName(ownObjectName(link)));
  return outcome as Exclude<T, OtherLink>;
}

export async function recordBatch(env: Env, link: Link, batch: ClickBatch): Promise<Exclude<Recorded, OtherLink>> {
  return askObject<Recorded>(env, link, async (object) => object.record({ ...batch, linkId: link.id }));
}

export async function readStats(
  env: Env,
  link: Link,
  question: StatsQuestion,
): Promise<Exclude<StatsOutcome, Unavailable | OtherLink>> {
  const asked = { ...question, linkId: link.id };
  return available(await askObject<StatsOutcome>(env, link, async (object) => object.stats(asked)));
}

export async function readClicks(
  env: Env,
  link: Link,
  question: ClicksQuestion,
): Promise<Exclude<ListedClicks, Unavailable | OtherLink>> {
  const asked = { ...question, linkId: link.id };
  return available(await askObject<ListedClicks>(env, link, async (object) => object.clicks(asked)));
}

export async function countScans(env: Env, link: Link, qr: string): Promise<number> {
  const asked = { qr, linkId: link.id };
  return available(await askObject<ScansOutcome>(env, link, async (object) => object.scans(asked))).scans;
}

/** @throws NoAnswer when the object is of another release than what is asked, or than what it has stored */
function available<T extends { kind: string }>(outcome: T): Exclude<T, Unavailable> {
  if (outcome.kind === "unavailable") throw new NoAnswer("the object is of an earlier release");
  return outcome as Exclude<T, Unavailable>;
}

/** The link as its object last heard of it. */
export async function lastKnownLink(env: Env, link: ObjectAddress): Promise<LinkSnapshot | null> {
  return linkObject(env, link).snapshot();
}

/**
 * The link that has an address, as the objects last heard: what redirects fall back on when the database does not answer.
 * One that was succeeded tells by whom.
 * @param last  the link that the database named last: neither it nor one that succeeded it is another's
 * @returns null when nothing is known, or only of another link than that
 */
export async function lastKnownHolder(
  env: Env,
  address: ObjectAddress,
  last: LinkSnapshot | null,
): Promise<LinkSnapshot | null> {
  let link = await lastKnownLink(env, last ?? address);
  let isTrusted = last === null || link?.id === last.id;
  for (let followed = 0; link?.successorId !== undefined && followed < SUCCESSORS_MAX; followed++) {
    const { domain, slug, id, successorId } = link;
    const successor = await lastKnownLink(env, { domain, slug, id: successorId, predecessorId: id });
    if (!successor) break;
    link = successor;
    isTrusted ||= link.id === last?.id;
  }
  return isTrusted ? link : null;
}

/** Follows a link's click log. @returns the object's answer, with a WebSocket when it takes the stream */
export async function followLink(env: Env, link: Link, params: URLSearchParams): Promise<Response> {
  const follow = async (object: LinkObject) =>
    object.fetch(`https://link/?${params}`, { headers: { Upgrade: "websocket" } });
  const answer = await follow(linkObject(env, link));
  return answer.status === OTHER_LINK ? follow(env.LINK_CLICKS.getByName(ownObjectName(link))) : answer;
}

/** Tells the object that somebody listens to the account's stream. If that fails, it hears of it with a click. */
export async function tellListened(env: Env, link: Link, since: number): Promise<void> {
  try {
    await askObject<Learned>(
      env,
      link,
      // An object of an earlier release answers nothing.
      async (object) => (await object.listen({ since, linkId: link.id })) ?? { kind: "learned" },
    );
  } catch (error) {
    console.warn("link object not told of a listener", { link: link.id, error: String(error) });
  }
}

/** Tells the object of a change. @throws when it cannot be reached, or takes too long */
export async function tellLinkObject(env: Env, snapshot: LinkSnapshot): Promise<void> {
  const told = askObject<Learned>(env, snapshot, async (object) => object.learn(snapshot));
  const { kind } = await within(TELL_PATIENCE_MS, told);
  if (kind !== "learned") throw new Error(`the object answered ${kind}`);
}

/** Has the object erase all that it stores. @throws when it cannot be reached, or takes too long */
export async function eraseLinkObject(env: Env, tombstone: LinkSnapshot): Promise<void> {
  const erased = askObject<Erased>(env, tombstone, async (object) => object.erase(tombstone));
  await within(ERASE_PATIENCE_MS, erased);
}
