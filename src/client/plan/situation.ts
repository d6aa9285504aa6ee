/** Reads the current state: the account, its domains, and the links that a file concerns. */
import { PAGE_LINKS_MAX } from "../../core/limits.ts";
import { isHoplinkError } from "../errors.ts";
import type { Hoplink, Link } from "../index.ts";
import { type Address, addressOf, type KnownDomains } from "./addresses.ts";
import type { LinksFile } from "./links-file.ts";
import type { CurrentLink, Situation } from "./plan.ts";

const LOOKUPS_AT_ONCE = 4;

type Options = { signal: AbortSignal };

/** @param everything  read all links of the account, not only the file's addresses */
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
    !everything && addresses.length < pages ? findLinks(hoplink, addresses, options) : listLinks(hoplink, {}, options),
    file.managed_by === undefined ? [] : listLinks(hoplink, { tag: [file.managed_by] }, options),
  ]);
  return {
    at: Date.now(),
    defaultDomain: me.default_domain,
    isPremium: me.plan === "premium",
    domains,
    links: [...new Map([...links, ...managed].map((link) => [link.id, link])).values()],
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
async function listLinks(
  hoplink: Hoplink,
  filter: { tag?: string[]; domain?: string },
  options: Options,
): Promise<CurrentLink[]> {
  const query = { ...filter, ...WHOLE, sort: "created_at", limit: PAGE_LINKS_MAX } as const;
  return currentLinks(await hoplink.links.list(query, options).all());
}

async function findLinks(hoplink: Hoplink, addresses: readonly Address[], options: Options): Promise<CurrentLink[]> {
  const found = await inParallel(LOOKUPS_AT_ONCE, addresses, (address) => findLink(hoplink, address, options));
  return found.flat();
}

/** Finds the links at an address. There may be two on a case-sensitive domain. */
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
