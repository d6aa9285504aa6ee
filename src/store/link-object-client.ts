/**
 * Calls to the object of a link: its clicks, its statistics, its last known snapshot.
 * That is the object of its address, so it is found without the database. Only where that one keeps the clicks of another
 * link, which a database that was set back has lost, the link has an object of its own.
 */
import type {
  ClickBatch,
  ClicksRequest,
  EraseResult,
  LearnResult,
  ClicksResult,
  OtherLink,
  RecordResult,
  ScansResult,
  StatsResult,
  Unavailable,
} from "../core/clicks/link-object-rpc.ts";
import { type LinkSnapshot, type ObjectAddress, objectNameOf, ownObjectName } from "../core/links/link-snapshot.ts";
import { OTHER_LINK_STATUS } from "../core/streams/stream-protocol.ts";
import type { StatsRequest } from "../core/clicks/stats.ts";
import { UnavailableError, withTimeout } from "./timeout.ts";

/** A change is answered when its object knows it, or after this time: then the outbox sees to it. */
const NOTIFY_TIMEOUT_MS = 5_000;
const ERASE_TIMEOUT_MS = 10_000;

/** A link is succeeded when its domain has changed hands, or when a database that was set back has lost it. */
const SUCCESSOR_HOPS_MAX = 5;

type LinkIdentity = ObjectAddress & Pick<LinkSnapshot, "id">;
/** A new one for each call: one that has failed stays broken. */
type LinkObjectStub = ReturnType<Env["LINK_CLICKS"]["getByName"]>;

function linkObjectStub(env: Env, link: ObjectAddress): LinkObjectStub {
  return env.LINK_CLICKS.getByName(objectNameOf(link));
}

/** Asks the object of a link's address, and the link's own when that one has another link's clicks. */
async function callLinkObject<T extends { kind: string }>(
  env: Env,
  link: LinkIdentity,
  call: (object: LinkObjectStub) => Promise<T>,
): Promise<Exclude<T, OtherLink>> {
  let outcome = await call(linkObjectStub(env, link));
  if (outcome.kind === "other_link") outcome = await call(env.LINK_CLICKS.getByName(ownObjectName(link)));
  return outcome as Exclude<T, OtherLink>;
}

export async function recordBatch(
  env: Env,
  link: LinkIdentity,
  batch: ClickBatch,
): Promise<Exclude<RecordResult, OtherLink>> {
  return callLinkObject<RecordResult>(env, link, async (object) => object.record({ ...batch, linkId: link.id }));
}

export async function readStats(
  env: Env,
  link: LinkIdentity,
  request: StatsRequest,
): Promise<Exclude<StatsResult, Unavailable | OtherLink>> {
  const linkRequest = { ...request, linkId: link.id };
  return requireAvailable(await callLinkObject<StatsResult>(env, link, async (object) => object.stats(linkRequest)));
}

export async function readClicks(
  env: Env,
  link: LinkIdentity,
  request: ClicksRequest,
): Promise<Exclude<ClicksResult, Unavailable | OtherLink>> {
  const linkRequest = { ...request, linkId: link.id };
  return requireAvailable(await callLinkObject<ClicksResult>(env, link, async (object) => object.clicks(linkRequest)));
}

export async function countScans(env: Env, link: LinkIdentity, qr: string): Promise<number> {
  const linkRequest = { qr, linkId: link.id };
  return requireAvailable(await callLinkObject<ScansResult>(env, link, async (object) => object.scans(linkRequest)))
    .scans;
}

/** @throws UnavailableError when the object is of another release than what is asked, or than what it has stored */
function requireAvailable<T extends { kind: string }>(outcome: T): Exclude<T, Unavailable> {
  if (outcome.kind === "unavailable") throw new UnavailableError("the object is of an earlier release");
  return outcome as Exclude<T, Unavailable>;
}

/** The link as its object last heard of it. @internal */
export async function readObjectSnapshot(env: Env, link: ObjectAddress): Promise<LinkSnapshot | null> {
  return linkObjectStub(env, link).snapshot();
}

/**
 * The link that has an address, as the objects last heard: what redirects fall back on when the database does not answer.
 * One that was succeeded tells by whom.
 * @param last  the link that the database named last: neither it nor one that succeeded it is another's
 * @returns null when nothing is known, or only of another link than that
 */
export async function findLastKnownLink(
  env: Env,
  address: ObjectAddress,
  last: LinkSnapshot | null,
): Promise<LinkSnapshot | null> {
  let link = await readObjectSnapshot(env, last ?? address);
  let isTrusted = last === null || link?.id === last.id;
  for (let followed = 0; link?.successorId !== undefined && followed < SUCCESSOR_HOPS_MAX; followed++) {
    const { domain, slug, id, successorId } = link;
    const successor = await readObjectSnapshot(env, { domain, slug, id: successorId, predecessorId: id });
    if (!successor) break;
    link = successor;
    isTrusted ||= link.id === last?.id;
  }
  return isTrusted ? link : null;
}

/** Follows a link's click log. @returns the object's answer, with a WebSocket when it takes the stream */
export async function subscribeToLink(env: Env, link: LinkIdentity, params: URLSearchParams): Promise<Response> {
  const subscribe = async (object: LinkObjectStub) =>
    object.fetch(`https://link/?${params}`, { headers: { Upgrade: "websocket" } });
  const response = await subscribe(linkObjectStub(env, link));
  return response.status === OTHER_LINK_STATUS ? subscribe(env.LINK_CLICKS.getByName(ownObjectName(link))) : response;
}

/** Tells the object that somebody listens to the account's stream. If that fails, it hears of it with a click. */
export async function notifyLinkOfListener(env: Env, link: LinkIdentity, since: number): Promise<void> {
  try {
    await callLinkObject<LearnResult>(
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
export async function notifyLinkObject(env: Env, snapshot: LinkSnapshot): Promise<void> {
  const notified = callLinkObject<LearnResult>(env, snapshot, async (object) => object.learn(snapshot));
  const { kind } = await withTimeout(NOTIFY_TIMEOUT_MS, notified);
  if (kind !== "learned") throw new Error(`the object answered ${kind}`);
}

/** Has the object erase all that it stores. @throws when it cannot be reached, or takes too long */
export async function eraseLinkObject(env: Env, tombstone: LinkSnapshot): Promise<void> {
  const erasure = callLinkObject<EraseResult>(env, tombstone, async (object) => object.erase(tombstone));
  await withTimeout(ERASE_TIMEOUT_MS, erasure);
}
