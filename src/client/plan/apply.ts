/**
 * Applies a plan. Every request is independent, so the next run completes an interrupted one. Links are created under
 * the slugs of the file, which can be taken only once. They are changed only in the revision that the plan was based
 * on.
 */
import { PAGE_LINKS_MAX } from "../../core/limits.ts";
import { piecesOf } from "../../core/links/bulk-pieces.ts";
import type { CreateLink, ErrorDetail } from "../api-types.ts";
import { isHoplinkError } from "../errors.ts";
import type { Hoplink, Link } from "../index.ts";
import { type Address, addressOf, isSame, type KnownDomains, type LinksFile, memberOf, MEMBERS } from "./links-file.ts";
import { type CurrentLink, type Plan, type Situation, toUpdateLink } from "./plan.ts";

interface Refusal {
  address: Address;
  code: string;
  message: string;
}

export interface Applied {
  created: number;
  changed: number;
  deleted: number;
  refused: Refusal[];
  /** Number of items not begun, because the run was stopped or an error ended it. */
  left: number;
  error?: unknown;
}

interface Progress {
  signal: AbortSignal;
  /** Called after each request. */
  onProgress: (done: number, all: number) => void;
}

type Result = { error: ErrorDetail } | object;

interface Item<Body> {
  address: Address;
  body: Body;
}

/** The work of one request. Its results are reported even if the next request fails. */
interface Step {
  kind: "created" | "changed" | "deleted";
  addresses: Address[];
  send: () => Promise<Result[]>;
}

/** @param progress  its signal lets the request in flight finish, and starts no other */
export async function applyPlan(hoplink: Hoplink, plan: Plan, { signal, onProgress }: Progress): Promise<Applied> {
  const steps = stepsOf(hoplink, plan);
  const all = steps.reduce((sum, { addresses }) => sum + addresses.length, 0);
  const applied: Applied = { created: 0, changed: 0, deleted: 0, refused: [], left: all };
  try {
    for (const step of steps) {
      if (signal.aborted) break;
      await takeStep(step, applied);
      onProgress(all - applied.left, all);
    }
  } catch (error) {
    applied.error = error;
  }
  return applied;
}

async function takeStep({ kind, addresses, send }: Step, applied: Applied): Promise<void> {
  for (const [i, result] of (await send()).entries()) {
    const address = addresses[i];
    applied.left--;
    if (!("error" in result)) applied[kind]++;
    else if (address) applied.refused.push({ address, code: result.error.code, message: result.error.message });
  }
}

function stepsOf(hoplink: Hoplink, { create, change, missing, prunes }: Plan): Step[] {
  const creations = create.map(({ address, link }) => ({ address, body: link }));
  const changes = change.map((one) => ({
    address: one.address,
    body: { ...reference(one.current), ...toUpdateLink(one) },
  }));
  const deletions = (prunes ? missing : []).map((link) => ({ address: link, body: reference(link) }));
  return [
    ...steps("created", creations, (some) => createSome(hoplink, some)),
    ...steps("changed", changes, async (some) => (await hoplink.links.updateMany(some.map(bodyOf))).map(explained)),
    ...steps("deleted", deletions, async (some) => (await hoplink.links.deleteMany(some.map(bodyOf))).map(explained)),
  ];
}

function steps<Body>(
  kind: Step["kind"],
  items: readonly Item<Body>[],
  send: (some: readonly Item<Body>[]) => Promise<Result[]>,
): Step[] {
  return piecesOf(items, bodyOf).map((some) => ({
    kind,
    addresses: some.map(({ address }) => address),
    send: () => send(some),
  }));
}

function bodyOf<Body>({ body }: Item<Body>): Body {
  return body;
}

/** A taken slug may belong to the link of an earlier run whose response was lost. */
async function createSome(hoplink: Hoplink, creations: readonly Item<CreateLink>[]): Promise<Result[]> {
  const results: Result[] = await hoplink.links.createMany(creations.map(bodyOf));
  for (const [i, creation] of creations.entries()) {
    const result = results[i];
    if (result && "error" in result && result.error.code === "slug_taken") {
      results[i] = await takenBy(hoplink, creation, result);
    }
  }
  return results;
}

async function takenBy(
  hoplink: Hoplink,
  { address, body }: Item<CreateLink>,
  taken: { error: ErrorDetail },
): Promise<Result> {
  const found = await findLink(hoplink, address, { signal: new AbortController().signal }).catch(() => null);
  // The request's results for the other links are still reported.
  if (!found) return taken;
  const [own] = found;
  if (own && MEMBERS.every((member) => isSame(memberOf(own, member), memberOf(body, member)))) return { link: own };
  const message = own
    ? "the link was created after this plan: plan again"
    : "the slug belongs to another account or a deleted link: choose another slug";
  return { error: { ...taken.error, message } };
}

function reference({ id, revision }: CurrentLink) {
  return { id, revision };
}

const SINCE_THE_PLAN: Readonly<Record<string, string>> = {
  precondition_failed: "the link was changed after this plan: plan again",
  link_not_found: "the link was deleted after this plan: plan again",
};

function explained(result: Result): Result {
  if (!("error" in result)) return result;
  const { error } = result;
  return { error: { ...error, message: SINCE_THE_PLAN[error.code] ?? error.message } };
}

const LOOKUPS_AT_ONCE = 4;

type Options = { signal: AbortSignal };

/**
 * Reads the current state: the account, its domains, and the links that a file concerns.
 * @param everything  read all links of the account, not only the file's addresses
 */
export async function readSituation(
  hoplink: Hoplink,
  file: Pick<LinksFile, "managed_by" | "domain" | "links">,
  { everything = false, ...options }: Options & { everything?: boolean },
): Promise<Situation> {
  const [me, domains] = await Promise.all([hoplink.me(options), readDomains(hoplink, options)]);
  const addresses = file.links.map((link) => addressOf(link, file.domain, me.default_domain));
  const pages = Math.ceil(me.limits.links.used / PAGE_LINKS_MAX);
  const [links, managed] = await Promise.all([
    // For a short file and a large account, lookups need fewer requests than the list of all links.
    !everything && addresses.length < pages
      ? inParallel(LOOKUPS_AT_ONCE, addresses, (address) => findLink(hoplink, address, options))
      : listLinks(hoplink, {}, options),
    file.managed_by === undefined ? [] : listLinks(hoplink, { tag: [file.managed_by] }, options),
  ]);
  return {
    at: Date.now(),
    defaultDomain: me.default_domain,
    isPremium: me.plan === "premium",
    domains,
    links: [...new Map([...links.flat(), ...managed].map((link) => [link.id, link])).values()],
  };
}

/** @returns null if the key may not read domains */
async function readDomains(hoplink: Hoplink, options: Options): Promise<KnownDomains | null> {
  try {
    return new Map((await hoplink.domains.list({}, options).all()).map((domain) => [domain.domain, domain]));
  } catch (error) {
    if (isHoplinkError(error, "insufficient_scope")) return null;
    throw error;
  }
}

/** Archived links keep their addresses. */
const WHOLE = { include: "revision", archived: "any" } as const;

/** In the order of creation, so that a link created in the meantime does not shift others to the previous page. */
async function listLinks(hoplink: Hoplink, filter: { tag?: string[] }, options: Options): Promise<CurrentLink[]> {
  const query = { ...filter, ...WHOLE, sort: "created_at", limit: PAGE_LINKS_MAX } as const;
  return currentLinks(await hoplink.links.list(query, options).all());
}

/** Finds the links at an address. There may be two on a case-sensitive domain. @internal */
export async function findLink(hoplink: Hoplink, { domain, slug }: Address, options: Options): Promise<CurrentLink[]> {
  return currentLinks(await hoplink.links.list({ domain, slug, ...WHOLE }, options).all());
}

/** Omits links whose domain has moved to another account since: if it comes back, their addresses are available. */
function currentLinks(links: readonly Link[]): CurrentLink[] {
  return links.flatMap((link) =>
    // A service that does not support revisions would have refused the parameter.
    link.domain_transferred ? [] : [{ ...link, revision: link.revision ?? 0 }],
  );
}

/**
 * @param atOnce  calls in flight @returns results in the order of the items @throws the error of the first failed call
 */
export async function inParallel<Item, Result>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // A loop that throws closes the shared generator, and so stops the other loops: nothing starts after a failure.
  const waiting = (function* () {
    yield* items.entries();
  })();
  const worker = async () => {
    for (const [i, item] of waiting) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
