/**
 * Reads the links of addresses from D1, in shared queries. On a custom domain an address may be that of a link which is
 * matched in any case, or exactly: the same query asks for both. No holder of a domain has both. Links of several databases share
 * nothing: one that fails or stalls holds up no reads of the others.
 */
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { findLastKnownLink } from "../store/link-object-client.ts";
import { findLinksByAddress, type FoundLink, type LinkLookupKey } from "../store/links/links-by-address.ts";
import { placeNameOf } from "../store/directory/databases.ts";
import type { LinkAddress } from "./address.ts";
import { ReadBatcher } from "./read-batcher.ts";

/** Queries in flight, each for up to 50 addresses. Fewer to the primary, which all locations share. */
const REPLICA_QUERIES_MAX = 4;
const PRIMARY_QUERIES_MAX = 2;

interface AddressRead {
  /** Addresses that differ in case only have the same link, or each its own. */
  name: string;
  address: LinkAddress;
}

type LinkBatcher = ReadBatcher<AddressRead, FoundLink>;

/** The reads of one database, each kind with its own queries in flight and its own circuit breaker. */
interface DatabaseReads {
  replica: LinkBatcher;
  primary: LinkBatcher;
}

const readsByPlace = new Map<string, DatabaseReads>();

/** The reads of the database that has the link of an address. */
export function readsOf(env: Env, address: LinkAddress): DatabaseReads {
  const place = placeNameOf(env, address);
  const known = readsByPlace.get(place);
  if (known) return known;
  const opened: DatabaseReads = {
    replica: new ReadBatcher(REPLICA_QUERIES_MAX, (env, reads) => findLinks(env, reads, "first-unconstrained")),
    primary: new ReadBatcher(PRIMARY_QUERIES_MAX, (env, reads) => findLinks(env, reads, "first-primary")),
  };
  readsByPlace.set(place, opened);
  return opened;
}

export function addressRead(address: LinkAddress): AddressRead {
  return { name: (address.exact ?? address).name, address };
}

async function findLinks(
  env: Env,
  reads: readonly AddressRead[],
  freshness: "first-unconstrained" | "first-primary",
): Promise<{ found: Map<string, FoundLink>; isFromPrimary: boolean }> {
  const keys = new Map(reads.flatMap(({ address }) => lookupKeys(address)).map((key) => [key.name, key]));
  const links = await findLinksByAddress(env, [...keys.values()], freshness);
  const found = new Map<string, FoundLink>();
  for (const { name, address } of reads) {
    const both = [links.get(address.name), links.get(name)].filter((link) => link !== undefined);
    const link = both.find(({ account }) => account !== "transferred") ?? both[0];
    if (link) found.set(name, link);
  }
  return { found, isFromPrimary: links.isFromPrimary };
}

function lookupKeys(address: LinkAddress): LinkLookupKey[] {
  return address.exact ? [address, { ...address.exact, domain: address.domain }] : [address];
}

/** The link of an address according to its object (`findLastKnownLink`). @param last  as D1 returned it last */
export async function readLastKnownLink(
  env: Env,
  { domain, slug, exact }: LinkAddress,
  last: LinkSnapshot | null,
): Promise<LinkSnapshot | null> {
  const link = await findLastKnownLink(env, { domain, slug }, last);
  return link || last || !exact ? link : findLastKnownLink(env, { domain, slug: exact.slug }, null);
}
