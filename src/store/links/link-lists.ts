/** Pages of links, with each link's clicks if requested. */
import type { LinkClickCount } from "../../core/clicks/protocol/account-object-rpc.ts";
import { CLICKS_CURSOR } from "../../core/contract/links.ts";
import { ApiError } from "../../core/errors.ts";
import type { Hosts } from "../../core/hosts.ts";
import { objectCallsMax } from "../../core/deployment/settings.ts";
import { findClickedLinks, readClicksByLink } from "../account-object-client.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { selectLinksById } from "../directory/directory.ts";
import { countHumanClicks } from "../link-object-client.ts";
import { type Page, prepareNamed } from "../statements.ts";
import { readLinksOrTombstones } from "./links.ts";
import { filterValues, matchesSql, type WantedLinks } from "./link-filters.ts";
import type { LinkRecord } from "./link-rows.ts";
import { listLinkIds, type Listing, listLinks } from "./link-search.ts";

interface ListedLink {
  link: LinkRecord;
  /** Total human clicks; null if not requested. */
  clicks: number | null;
}

export async function listLinkPage(
  env: Env,
  caller: Caller,
  hosts: Hosts,
  query: WantedLinks,
): Promise<Page<ListedLink>> {
  const listing = { env, caller, hosts };
  const hasClicks = query.include === "clicks";
  const { sort } = query;
  if (sort === "-clicks") {
    const { items, nextCursor } = await listLinksByClicks(listing, query);
    return { items: hasClicks ? items : items.map(({ link }) => ({ link, clicks: null })), nextCursor };
  }
  // Each link's object counts its own clicks.
  const limit = hasClicks ? Math.min(query.limit, objectCallsMax(env)) : query.limit;
  const { items, nextCursor } = await listLinks(listing, { ...query, sort, limit });
  const clicks = await Promise.all(items.map((link) => (hasClicks ? countHumanClicks(env, link, {}) : null)));
  return { items: items.map((link, i) => ({ link, clicks: clicks[i]?.clicks ?? null })), nextCursor };
}

/*
 * Links sorted by clicks, descending; links with equal clicks are sorted newest first. The account's object provides
 * the order of clicked links, and the database selects those that match. Links without clicks follow in the database's
 * order. All pages show one instant, which their cursors contain, so later clicks move no link between pages.
 */

/** Links per step of a page, and maximum steps: a page ends early if few of them match. */
const STEP_LINKS = 200;
const STEPS_MAX = 10;
const RETRY_AFTER_SECONDS = 5;

/** Sorts before every link without clicks. */
const BEFORE_UNCLICKED: LinkClickCount = { id: `lnk_${"z".repeat(26)}`, clicks: 0 };

/** Where a page begins. */
interface Place {
  /** When clicks were counted, epoch ms; null before the first page. */
  asOf: number | null;
  /** The last link of the previous page. */
  after: LinkClickCount | null;
}

interface Step {
  asOf: number;
  /** The links that match. */
  links: LinkClickCount[];
  /** The last link examined; null at the end of the list. */
  last: LinkClickCount | null;
}

/** @throws ApiError unavailable while the account's past clicks are being read */
async function listLinksByClicks(listing: Listing, query: WantedLinks): Promise<Page<ListedLink>> {
  const { limit } = query;
  const found: LinkClickCount[] = [];
  let { asOf, after } = placeOf(query.cursor);
  for (let steps = 0; steps < STEPS_MAX && found.length <= limit; steps++) {
    const isClicked = asOf === null || after?.clicks !== 0;
    const step: Step = isClicked
      ? await stepByClicks(listing, query, { asOf, after })
      : await stepWithoutClicks(listing, query, asOf ?? 0, after?.id ?? "");
    found.push(...step.links);
    ({ asOf, last: after } = step);
    if (!after) break;
  }
  const listed = found.slice(0, limit);
  const last = found.length > limit ? listed.at(-1) : after;
  return { items: await withRecords(listing, listed), nextCursor: last ? cursorOf(asOf ?? 0, last) : null };
}

async function stepByClicks(listing: Listing, query: WantedLinks, { asOf, after }: Place): Promise<Step> {
  const { accountId, mode } = listing.caller;
  const page = { after, limit: STEP_LINKS, ...(asOf === null ? {} : { asOf }) };
  const counted = await readClicksByLink(listing.env, { accountId, mode, ...page });
  if (counted.progress !== undefined) throw stillReading();
  const ids = counted.links.map(({ id }) => id);
  const matching = ids.length > 0 ? await findMatching(listing, query, ids) : new Set<string>();
  return {
    asOf: asOf ?? counted.asOf,
    links: counted.links.filter(({ id }) => matching.has(id)),
    last: (counted.hasMore ? counted.links.at(-1) : null) ?? BEFORE_UNCLICKED,
  };
}

async function stepWithoutClicks(listing: Listing, query: WantedLinks, asOf: number, cursor: string): Promise<Step> {
  const { accountId, mode } = listing.caller;
  const ofCreation = { ...query, sort: "-created_at", cursor, limit: STEP_LINKS } as const;
  const { items: ids, nextCursor } = await listLinkIds(listing, ofCreation);
  const found = ids.length > 0 ? await findClickedLinks(listing.env, { accountId, mode, ids, asOf }) : null;
  if (found?.progress !== undefined) throw stillReading();
  const clicked = new Set(found?.ids);
  return {
    asOf,
    links: ids.filter((id) => !clicked.has(id)).map((id) => ({ id, clicks: 0 })),
    last: nextCursor === null ? null : { id: nextCursor, clicks: 0 },
  };
}

async function findMatching({ env, caller }: Listing, query: WantedLinks, ids: string[]): Promise<Set<string>> {
  const { kind, values } = filterValues(caller, { ...query, cursor: undefined });
  const sql = `SELECT l.id FROM json_each(:ids) wanted
    CROSS JOIN links l ON l.account_id = :account_id AND l.mode = :mode AND l.id = wanted.value
    WHERE l.id > :after AND l.id < :before AND ${matchesSql(kind)}`;
  const found = await selectLinksById(env, ids, (database, wanted) =>
    prepareNamed(database, sql, { ...values, ids: wanted }),
  );
  return new Set(found.map(({ id }) => id));
}

/** Leaves out links that have been deleted since. */
async function withRecords({ env, caller }: Listing, links: readonly LinkClickCount[]): Promise<ListedLink[]> {
  if (links.length === 0) return [];
  const ids = links.map(({ id }) => id);
  const records = await readLinksOrTombstones(env, caller, ids);
  return links.flatMap(({ id, clicks }) => {
    const link = records.get(id)?.link;
    return link && link.state !== "deleted" ? [{ link, clicks }] : [];
  });
}

function placeOf(cursor = ""): Place {
  const [, asOf, clicks, id] = CLICKS_CURSOR.exec(cursor) ?? [];
  if (asOf === undefined || clicks === undefined || id === undefined) return { asOf: null, after: null };
  return { asOf: Number.parseInt(asOf, 36), after: { id, clicks: Number.parseInt(clicks, 36) } };
}

function cursorOf(asOf: number, { id, clicks }: LinkClickCount): string {
  return `${asOf.toString(36)}-${clicks.toString(36)}-${id}`;
}

function stillReading(): ApiError {
  const message = "The account's clicks are being read for the first time. GET /v1/stats shows the progress.";
  return new ApiError("unavailable", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
