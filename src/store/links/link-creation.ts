/**
 * Creates links, in one transaction with their count and the response stored for a retry. Chooses random slugs, and
 * plans again when a concurrent request takes one. Bodies are validated before (core/links/link-validation.ts).
 */
import type { ApiError } from "../../core/errors.ts";
import { LINK_ID_RANDOM_WORDS, linkIdStem, randomSlug, SLUG_RANDOM_WORDS } from "../../core/identifiers.ts";
import { linkIdOf } from "../../core/links/buckets.ts";
import type { LinkAlias, LinkContent } from "../../core/links/link-members.ts";
import { addressObjectName, openStateOf } from "../../core/links/link-snapshot.ts";
import { anyCaseSlug, exactSlug, typedSlug } from "../../core/hosts.ts";
import { isAscii } from "../../core/links/case-folding.ts";
import { qrKeyOf } from "../../core/qr/token.ts";
import { type Caller, changeAuthorOf } from "../accounts/api-keys.ts";
import { placeNameOf } from "../directory/databases.ts";
import type { IdempotentRequest } from "../directory/idempotency.ts";
import { countLinksStatement, type LinkAllowance } from "../directory/link-quota.ts";
import {
  databasesOfLinks,
  type DoneItems,
  type ItemsRequest,
  partsOf,
  type PlannedItem,
} from "../directory/links-request.ts";
import { readDomainRules } from "../domains/known-domains.ts";
import { jsonTexts, prepareNamed } from "../statements.ts";
import { UnavailableError } from "../timeout.ts";
import { readAliasRules } from "./alias-rules.ts";
import { isCustomDomainOf } from "./domain-joins.ts";
import { carryOutAliased, findTakenAddresses, type LinkToAlias, type TakenAddress } from "./link-aliases.ts";
import type { LinkRecord } from "./link-rows.ts";
import { INSERT_LINKS_SQL, insertedRow, withHashedPasswords } from "./link-writes.ts";

/** A link to create. Times are epoch ms. */
export interface NewLink extends LinkContent {
  /** As typed; null for a random slug. */
  slug: string | null;
  domain: string;
}

/** The created link, or why it was rejected: an address is taken, or the account's quota is used up. */
export type CreateLinkOutcome = { link: LinkRecord } | { taken: TakenAddress } | { refusal: ApiError };

/**
 * Creates links with their count and the stored response. A taken slug rejects only its own link. When the quota is
 * reached, the remaining links are rejected.
 * @param defaultDomain  the service's own short domain where the request was sent
 * @throws ApiError validation_failed when a domain is no longer active; then nothing is created
 * @throws UnavailableError when concurrent requests keep taking this request's slugs
 * @throws as `carryOut` when a copy of the request was faster
 */
export async function createLinks(
  env: Env,
  caller: Caller,
  { items: links, ...request }: ItemsRequest<NewLink, CreateLinkOutcome>,
  defaultDomain?: string,
): Promise<DoneItems<CreateLinkOutcome>> {
  const { idempotentRequest = null } = request;
  const hashed = await withHashedPasswords(env, links);
  const items = hashed.flatMap((link, position) => (link ? [wantedLink(link, position, idempotentRequest)] : []));
  const all = { size: links.length, ...request };
  return carryOutAliased<CreateLinkOutcome>(env, caller, all, async (isDone, allowance, reservations) => {
    const missing = items.filter(({ position }) => !isDone(position));
    const planned = await planLinks(env, caller, defaultDomain, missing, allowance);
    const aliases = await reservations.reserve(planned.flatMap(withAliases));
    return partsOf(planned, (database, own) => [
      ...createStatements(env, database, caller, own, allowance),
      ...(aliases.get(database) ?? []),
    ]);
  });
}

function withAliases({ position, database, outcome }: PlannedItem<CreateLinkOutcome>): LinkToAlias[] {
  return "link" in outcome ? [{ position, database, link: outcome.link, added: outcome.link.aliases }] : [];
}

function createStatements(
  env: Env,
  database: D1Database,
  caller: Caller,
  planned: readonly PlannedItem<CreateLinkOutcome>[],
  allowance: LinkAllowance,
): D1PreparedStatement[] {
  const made = planned.flatMap(({ outcome }) => ("link" in outcome ? [outcome.link] : []));
  if (made.length === 0) return [];
  const links = made.reduce((sum, { aliases }) => sum + 1 + aliases.length, 0);
  const count = countLinksStatement(database, caller, { links, made: links }, allowance.limitsIn(database));
  return [...insertLinksStatements(env, database, made), count];
}

/** Assigns ids, times and slugs, and finds chosen slugs that are in the table, or twice in the request. */
async function planLinks(
  env: Env,
  caller: Caller,
  defaultDomain: string | undefined,
  wanted: readonly WantedLink[],
  allowance: LinkAllowance,
): Promise<PlannedItem<CreateLinkOutcome>[]> {
  const now = Date.now();
  const chosenLinks = wanted.map(({ link }) => link);
  const addressOf = await readSlugStorage(env, caller, chosenLinks);
  const placed = await placeLinks(env, wanted, addressOf);
  const links = placed.map(({ link }) => link);
  const planAliases = await readAliasRules(env, caller, defaultDomain, links);
  const aliased = placed.map(({ link, address }) => {
    return planAliases({ ...address, aliases: [], retiredAliases: [] }, link.aliases);
  });
  const chosen = placed.filter(({ link }) => link.slug !== null);
  const taken = await findTakenAddresses(env, caller, [
    ...chosen.map(({ address }) => address),
    ...aliased.flatMap((plan) => ("aliases" in plan ? plan.aliases : [])),
  ]);
  const stems = placed.map(() => newIdStem(now)).sort();
  return placed.map(({ position, link, place, address, database }, i) => {
    const planned = (outcome: CreateLinkOutcome) => {
      const changedTags = "link" in outcome ? outcome.link.tags.length : 0;
      const changedAliases = "link" in outcome ? outcome.link.aliases.length : 0;
      const setsPassword = "link" in outcome && outcome.link.password !== null;
      return { position, key: place ?? address, database, outcome, changedTags, changedAliases, setsPassword };
    };
    const aliases = aliased[i];
    if (!aliases || "refusal" in aliases) return planned(aliases ?? { refusal: allowance.refusal() });
    const names = [address, ...aliases.aliases].map((each) => addressObjectName(each.domain, each.slug));
    const at = names.findIndex((name, n) => taken.has(name) && (n > 0 || link.slug !== null));
    if (at === 0) return planned({ taken: { domain: link.domain, slug: link.slug } });
    const alias = aliases.aliases[at - 1];
    if (alias) return planned({ taken: { domain: alias.domain, slug: typedSlug(alias), alias: at - 1 } });
    if (!allowance.take(database, names.length)) return planned({ refusal: allowance.refusal() });
    for (const name of names) taken.add(name);
    return planned({ link: newLinkRecord(caller, { ...link, ...address, ...aliases }, now, stems[i]) });
  });
}

type Address = Pick<LinkRecord, "domain" | "slug" | "typedSlug">;

/**
 * A link to create. A random slug is drawn until it belongs to the same database as `place`, which follows from the
 * `Idempotency-Key`. So copies of a request plan the link for the same database, where one of them is refused.
 */
interface WantedLink {
  position: number;
  link: NewLink;
  place: Address | null;
}

function wantedLink(link: NewLink, position: number, request: IdempotentRequest | null): WantedLink {
  const isPlaced = link.slug === null && request !== null;
  return { position, link, place: isPlaced ? { domain: request.keyHash.join(), slug: String(position) } : null };
}

interface PlacedLink extends WantedLink {
  /** The address with the slug in its stored form. */
  address: Address;
  database: D1Database;
}

/** Slugs are drawn again only while some of a database's buckets are moving. */
const DRAWS_MAX = 100;

/** Draws missing slugs, and finds the databases in which the links are created. */
async function placeLinks(
  env: Env,
  wanted: readonly WantedLink[],
  addressOf: (domain: string, slug: string) => Address,
): Promise<PlacedLink[]> {
  const placed: PlacedLink[] = [];
  let rest = wanted;
  for (let draws = 0; rest.length > 0; draws++) {
    if (draws === DRAWS_MAX) throw new UnavailableError("links are being moved between databases");
    const drawn = rest.map((each) => {
      const { domain, slug } = each.link;
      return { ...each, address: addressOf(domain, slug ?? drawSlug(env, domain, each.place)) };
    });
    const addresses = drawn.flatMap(({ address, place }) => (place ? [address, place] : [address]));
    const databases = await databasesOfLinks(env, addresses);
    for (const each of drawn) {
      const database = databases.get(each.address);
      if (database && database === databases.get(each.place ?? each.address)) placed.push({ ...each, database });
    }
    const done = new Set(placed.map(({ position }) => position));
    rest = rest.filter(({ position }) => !done.has(position));
  }
  return placed.sort((one, other) => one.position - other.position);
}

/** With N databases, draws N slugs on average until one belongs to `place`. */
function drawSlug(env: Env, domain: string, place: Address | null): string {
  for (;;) {
    const slug = randomSlug(crypto.getRandomValues(new Uint32Array(SLUG_RANDOM_WORDS)));
    if (!place || placeNameOf(env, { domain, slug }) === placeNameOf(env, place)) return slug;
  }
}

/** Returns a new link, at revision 1. The database assigns its tenure. */
export function newLinkRecord(
  caller: Caller,
  link: NewLink & { slug: string; retiredAliases?: LinkAlias[] },
  now = Date.now(),
  idStem = newIdStem(now),
): LinkRecord {
  const id = linkIdOf(idStem, link.domain, link.slug);
  const { accountId, mode, origin } = caller;
  const qrKey = qrKeyOf(crypto.getRandomValues(new Uint8Array(16)));
  const times = { createdAt: now, updatedAt: now, tenure: 0, changedAt: now };
  const changedBy = changeAuthorOf(caller);
  const state = openStateOf(link);
  return { retiredAliases: [], ...link, id, accountId, mode, origin, revision: 1, state, qrKey, ...times, changedBy };
}

/** Returns the address of a newly chosen slug, by domain. Reads the database only for links on custom domains. */
async function readSlugStorage(
  env: Env,
  caller: Caller,
  links: readonly NewLink[],
): Promise<(domain: string, slug: string) => Address> {
  const domains = new Set(links.map(({ domain }) => domain));
  const custom = [...domains].filter((domain) => isCustomDomainOf(env, { domain, mode: caller.mode }));
  const rules = await readDomainRules(env, caller, custom);
  return (domain, slug) => ({
    domain,
    slug: rules.get(domain)?.isCaseSensitive ? exactSlug(slug) : anyCaseSlug(slug),
    ...(isAscii(slug) ? {} : { typedSlug: slug }),
  });
}

/** Whether a slug on the service's domain is or was in use: slugs are never issued again. Or another account has it. */
export async function isSlugTaken(env: Env, caller: Caller, domain: string, typed: string): Promise<boolean> {
  return (await findTakenAddresses(env, caller, [{ domain, slug: anyCaseSlug(typed) }])).size > 0;
}

/** The transaction fails if a domain is no longer active (`domain_not_active`), or no longer accepts a slug. */
export function insertLinksStatements(
  env: Env,
  database: D1Database,
  links: readonly LinkRecord[],
): D1PreparedStatement[] {
  const rows = links.map((link) => insertedRow(link, isCustomDomainOf(env, link)));
  return jsonTexts(rows).map((text) => prepareNamed(database, INSERT_LINKS_SQL, { rows: text }));
}

function newIdStem(now: number): string {
  return linkIdStem(now, crypto.getRandomValues(new Uint32Array(LINK_ID_RANDOM_WORDS)));
}
