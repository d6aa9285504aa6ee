/**
 * Calls to the object of a link: its clicks, its statistics, its last known snapshot. The object is named after the
 * link's address, so it can be found without D1. Exception: after a restore of D1 (Time Travel), that object may hold
 * the clicks of a link that the database no longer has. The object then answers `other_link`, and the call goes to an
 * object named after the link's id.
 */
import type {
  Busy,
  ClickBatch,
  EraseResult,
  ExportRequest,
  LearnResult,
  LinkQuestions,
  OtherLink,
  RecordResult,
  Unavailable,
} from "../core/clicks/protocol/link-object-rpc.ts";
import { type LocationHint, regionOf } from "../core/deployment/settings.ts";
import { type LinkSnapshot, type ObjectAddress, objectNameOf, ownObjectName } from "../core/links/link-snapshot.ts";
import { OTHER_LINK_STATUS } from "../core/streams/stream-protocol.ts";
import { BusyError, UnavailableError, withTimeout } from "./timeout.ts";

/** How long a change waits for its object before the API responds. After that the outbox delivers it. */
const NOTIFY_TIMEOUT_MS = 5_000;
const ERASE_TIMEOUT_MS = 10_000;
/** A page takes about ten milliseconds; it takes longer if the object is starting or busy. */
const EXPORT_PAGE_TIMEOUT_MS = 15_000;

export type LinkIdentity = ObjectAddress & Pick<LinkSnapshot, "id">;
/** Created for each call: a stub whose call failed keeps failing. */
type LinkObjectStub = ReturnType<Env["LINK_CLICKS"]["getByName"]>;

/** @param near  where the object is created if this is its first call */
function linkObject(env: Env, name: string, near?: LocationHint): LinkObjectStub {
  return env.LINK_CLICKS.getByName(name, regionOf(env, near));
}

/**
 * Calls the object of a link's address; if that answers `other_link`, the link's own object.
 * @param locationHint  where the object is created if this is its first call
 */
async function callLinkObject<T extends { kind: string }>(
  env: Env,
  link: LinkIdentity,
  call: (object: LinkObjectStub) => Promise<T>,
  locationHint?: LocationHint,
): Promise<Exclude<T, OtherLink>> {
  let outcome = await call(linkObject(env, objectNameOf(link), locationHint));
  if (outcome.kind === "other_link") outcome = await call(linkObject(env, ownObjectName(link), locationHint));
  return outcome as Exclude<T, OtherLink>;
}

/** @param locationHint  near the visitor, for a link's first click */
export async function recordBatch(
  env: Env,
  link: LinkIdentity,
  batch: ClickBatch,
  locationHint?: LocationHint,
): Promise<Exclude<RecordResult, OtherLink>> {
  const record = async (object: LinkObjectStub) => object.record({ ...batch, linkId: link.id });
  return callLinkObject<RecordResult>(env, link, record, locationHint);
}

/** The object's methods. Their own types contain records, which are too deep for the type checker over RPC. */
type LinkAnswers = { [M in keyof LinkQuestions]: (request: LinkQuestions[M][0]) => Promise<LinkQuestions[M][1]> };

/**
 * Queries a link's object.
 * @throws UnavailableError when it cannot answer
 * @throws BusyError while it reads for others
 */
function question<M extends keyof LinkQuestions & keyof LinkObjectStub>(method: M) {
  type Result = LinkQuestions[M][1];
  return async (
    env: Env,
    link: LinkIdentity,
    request: LinkQuestions[M][0],
  ): Promise<Exclude<Result, OtherLink | Unavailable | Busy>> => {
    const outcome = await callLinkObject<Result>(env, link, async (object) =>
      (object as unknown as LinkAnswers)[method]({ ...request, linkId: link.id }),
    );
    if (outcome.kind === "busy" || outcome.kind === "packing") throw new BusyError(outcome.kind);
    if (outcome.kind === "unavailable") throw new UnavailableError("the object runs an earlier release");
    return outcome as Exclude<Result, OtherLink | Unavailable | Busy>;
  };
}

export const readStats = question("stats");
export const readBacktest = question("backtest");
export const readClicks = question("clicks");
export const countScans = question("scans");
/** Total human clicks on a link. */
export const countHumanClicks = question("humanClicks");
export const checkPassword = question("checkPassword");
export const readPasswordLock = question("passwordLock");
export const copyLinkLog = question("copyLog");
/** Clicks for the account's log. */
export const drawFromLink = question("draw");
export const restoreLinkLog = question("restoreLog");
export const importLinkClicks = question("importClicks");
export const undoLinkImport = question("undoImport");

const exportPage = question("exportClicks");

/** Reads a page of an export. Retries once: a deployment restarts every object. */
export function readExportPage(env: Env, link: LinkIdentity, request: ExportRequest) {
  const read = () => withTimeout(EXPORT_PAGE_TIMEOUT_MS, exportPage(env, link, request));
  return read().catch(read);
}

/** Lets a link's object call itself. */
export async function callReadPart(env: Env, id: DurableObjectId, part: number): Promise<void> {
  await env.LINK_CLICKS.get(id).readPart(part);
}

/** The last snapshot that the link's object knows. @internal */
export async function readObjectSnapshot(env: Env, link: ObjectAddress): Promise<LinkSnapshot | null> {
  return linkObject(env, objectNameOf(link)).snapshot();
}

/**
 * Finds the link of an address in its object, for redirects while the database does not respond.
 * @param last  the last link that D1 returned for this address
 * @returns null when the object knows no link, or not the one that D1 returned
 */
export async function findLastKnownLink(
  env: Env,
  address: ObjectAddress,
  last: LinkSnapshot | null,
): Promise<LinkSnapshot | null> {
  const link = await readObjectSnapshot(env, last ?? address);
  return last === null || link?.id === last.id ? link : null;
}

/**
 * Subscribes to a link's click log.
 * @returns the object's response, with a WebSocket when it accepts the stream
 */
export async function subscribeToLink(env: Env, link: LinkIdentity, params: URLSearchParams): Promise<Response> {
  const subscribe = async (object: LinkObjectStub) =>
    object.fetch(`https://link/?${params}`, { headers: { Upgrade: "websocket" } });
  const response = await subscribe(linkObject(env, objectNameOf(link)));
  return response.status === OTHER_LINK_STATUS ? subscribe(linkObject(env, ownObjectName(link))) : response;
}

/**
 * Notifies the object that the account's stream has a subscriber. Best effort: each click batch carries the same
 * information (`feedSince`).
 */
export async function notifyLinkOfListener(env: Env, link: LinkIdentity, since: number): Promise<void> {
  try {
    await callLinkObject<LearnResult>(env, link, async (object) => object.listen({ since, linkId: link.id }));
  } catch (error) {
    console.warn("link object not told of a listener", { link: link.id, error: String(error) });
  }
}

/** Sends a changed link to its object. @throws when the object cannot be reached in time */
export async function notifyLinkObject(env: Env, snapshot: LinkSnapshot): Promise<void> {
  const notified = callLinkObject<LearnResult>(env, snapshot, async (object) => object.learn(snapshot));
  const { kind } = await withTimeout(NOTIFY_TIMEOUT_MS, notified);
  if (kind !== "learned") throw new Error(`the object returned ${kind}`);
}

/** Erases all that the object stores. @throws when the object cannot be reached in time */
export async function eraseLinkObject(env: Env, tombstone: LinkSnapshot): Promise<void> {
  const erasure = callLinkObject<EraseResult>(env, tombstone, async (object) => object.erase(tombstone));
  await withTimeout(ERASE_TIMEOUT_MS, erasure);
}

/**
 * Link changes written by this isolate, for its own link cache (edge/link-lookup.ts), which the store may not import.
 * Other isolates receive them from the link's object.
 */

type Listener = (link: LinkSnapshot) => void;

let listener: Listener = () => {};

export function onLocalChange(listen: Listener): void {
  listener = listen;
}

/** @param link  the link after the change */
export function announceLocalChange(link: LinkSnapshot): void {
  listener(link);
}
