/**
 * Updates or deletes several links in one transaction with the response stored for a retry. Each link succeeds or fails
 * on its own. Outcomes are planned from the rows as read, and the stored response contains them. So the transaction
 * fails if a planned link has changed since then, and its links are planned again.
 */
import { ApiError, validationFailed } from "../../core/errors.ts";
import type { Hosts } from "../../core/hosts.ts";
import { countChangedTags } from "../../core/links/bulk-pieces.ts";
import type { LinkAlias } from "../../core/links/link-members.ts";
import { aliasesBeyond, type LinkSnapshot } from "../../core/links/link-snapshot.ts";
import { openingTimesProblems, withoutVoidStart } from "../../core/links/link-validation.ts";
import { domainTransferred, findTenures, isTransferred } from "../domains/domain-holders.ts";
import { type BackgroundContext, type Caller, changeAuthorOf } from "../accounts/api-keys.ts";
import { jsonTexts, prepareNamed } from "../statements.ts";
import {
  DELETION_SQL,
  ERASURE_SQL,
  notifyOfErasure,
  readLinksOrTombstones,
  type StoredLink,
  type LinkChanges,
} from "./links.ts";
import {
  type DoneItems,
  databasesOfLinks,
  type ItemsRequest,
  partsOf,
  type PlannedItem,
} from "../directory/links-request.ts";
import { countLinksStatement, type LinkAllowance } from "../directory/link-quota.ts";
import { aliasPlanner } from "./alias-rules.ts";
import { type AliasedPlan, carryOutAliased, type LinkToAlias } from "./link-aliases.ts";
import { type LinkRecord, type LinkRow, snapshotOf } from "./link-rows.ts";
import { contentAssignmentsSql, contentValues, withHashedPasswords } from "./link-writes.ts";
import { deliverChanges } from "./outbox.ts";

/** One link of a request. A link may occur twice: the second item sees the result of the first. */
export interface BulkLink {
  id: string;
  /** The revision that the link must be at; null for any. */
  revision: number | null;
}

export type LinkUpdate = BulkLink & { changes: LinkChanges };

/** The link after the request, or why it was not changed. */
export type BulkOutcome = { link: LinkRecord } | { refusal: ApiError };

/** The plan for an item: the link afterwards, and the members to set; null when nothing is written. */
type Planned = { stored: StoredLink; changes: LinkChanges | null } | { refusal: ApiError };

type PlannedChange = PlannedItem<BulkOutcome> & { planned: Planned };

type KnownLinks = ReadonlyMap<string, StoredLink>;

/**
 * Changes links with one statement, since a Workers plan limits the statements of a request. `:rows` are those of
 * `changedRow`. `revision` becomes NULL, which its constraint refuses, if a link is no longer at the revision at which
 * it was read.
 */
const changeLinksSql = (assignments: string) => `UPDATE links SET ${assignments},
    revision = iif(revision = changed.value ->> 3, changed.value ->> 4, NULL), updated_at = changed.value ->> 5
  FROM json_each(:rows) AS changed
  WHERE account_id = changed.value ->> 0 AND mode = changed.value ->> 1 AND links.id = changed.value ->> 2
  RETURNING *`;

const UPDATE_SQL = changeLinksSql(contentAssignmentsSql("changed.value", "$[6]"));

/** A new revision, so that the link's object learns of it. Its content does not change, so its history does not grow. */
const HAND_OVER_SQL = changeLinksSql("origin = 'api'");

const DELETE_SQL = changeLinksSql(DELETION_SQL);

const ERASE_SQL = changeLinksSql(ERASURE_SQL);

/**
 * Updates links. Notifies the objects of changed links before it returns.
 * @throws UnavailableError when concurrent requests keep changing the same links
 * @throws as `carryOut` when a copy of the request was faster
 */
export async function updateLinks(
  env: Env,
  ctx: BackgroundContext,
  caller: Caller,
  { shortDomains }: Hosts,
  request: ItemsRequest<LinkUpdate, BulkOutcome>,
): Promise<DoneItems<BulkOutcome>> {
  const updates = request.items;
  const planFor = async (known: KnownLinks): Promise<Plan<LinkUpdate>> => {
    const domains = new Set([...known.values()].map(({ link }) => link.domain));
    domains.delete(shortDomains[caller.mode]);
    const tenures = await findTenures(env, [...domains]);
    const wanted = updates.flatMap((update) => {
      const link = update && known.get(update.id)?.link;
      return link && update.changes.aliases ? [{ link, domain: link.domain, aliases: update.changes.aliases }] : [];
    });
    const planAliases = await aliasPlanner(env, caller, shortDomains[caller.mode], wanted);
    return ({ revision, changes: sent }, found, now) => {
      if (!found || found.link.state === "deleted") return { refusal: new ApiError("link_not_found") };
      const { link } = found;
      const changes = withoutVoidStart(sent, link, now);
      const isUnchanged = Object.keys(changes).length === 0;
      if (!isUnchanged && isTransferred(link, tenures)) return { refusal: domainTransferred(link.domain) };
      if (revision !== null && revision !== link.revision) return { refusal: revisionChanged(link) };
      if (isUnchanged) return { stored: found, changes: null };
      const problems = openingTimesProblems(changes, link);
      if (problems.length > 0) return { refusal: validationFailed(problems) };
      const planned = changes.aliases ? planAliases(link, changes.aliases) : null;
      if (planned && "refusal" in planned) return planned;
      const stored = planned ? { ...changes, aliases: planned.aliases } : changes;
      return { stored: { ...found, link: { ...nextRevision(link, now), ...changes, ...planned } }, changes: stored };
    };
  };
  const unhashed = updates.map((update) => update && update.changes);
  const hashed = await withHashedPasswords(env, unhashed);
  const items = updates.map((update, i) => update && { ...update, changes: hashed[i] ?? update.changes });
  const notify = (changed: LinkSnapshot[]) => deliverChanges(env, ctx, changed);
  return changeLinks(env, caller, { ...request, items }, UPDATE_SQL, planFor, notify);
}

/**
 * Hands links that were created in the dashboard over to the API, as if they were created through it. Links that are
 * handed over already do not change. Parameters and errors are those of `updateLinks`.
 */
export async function handOverLinks(
  env: Env,
  ctx: BackgroundContext,
  caller: Caller,
  request: ItemsRequest<BulkLink, BulkOutcome>,
): Promise<DoneItems<BulkOutcome>> {
  const plan: Plan<BulkLink> = (_, found, now) => {
    if (!found || found.link.state === "deleted") return { refusal: new ApiError("link_not_found") };
    if (found.link.origin === "api") return { stored: found, changes: null };
    return { stored: { ...found, link: { ...nextRevision(found.link, now), origin: "api" } }, changes: {} };
  };
  const notify = (changed: LinkSnapshot[]) => deliverChanges(env, ctx, changed);
  return changeLinks(env, caller, request, HAND_OVER_SQL, async () => plan, notify);
}

/**
 * Deletes links, and erases their clicks where `erases` is set, even if the link was deleted before. Parameters and
 * errors are those of `updateLinks`.
 */
export async function deleteLinks(
  env: Env,
  ctx: BackgroundContext,
  caller: Caller,
  request: ItemsRequest<BulkLink, BulkOutcome>,
  erases: boolean,
): Promise<DoneItems<BulkOutcome>> {
  const plan: Plan<BulkLink> = ({ revision }, found, now) => {
    if (!found || (found.link.state === "deleted" && !erases)) return { refusal: new ApiError("link_not_found") };
    if (found.isErased) return { stored: found, changes: null };
    const { link } = found;
    if (revision !== null && revision !== link.revision) return { refusal: revisionChanged(link) };
    return { stored: { link: { ...nextRevision(link, now), state: "deleted" }, isErased: erases }, changes: {} };
  };
  const sql = erases ? ERASE_SQL : DELETE_SQL;
  const notify = (changed: LinkSnapshot[]) => (erases ? notifyOfErasure : deliverChanges)(env, ctx, changed);
  return changeLinks(env, caller, request, sql, async () => plan, notify);
}

type Plan<Item> = (item: Item, found: StoredLink | undefined, now: number) => Planned;

/** @param notify  receives the changed links in their current state, even if others could not be changed */
async function changeLinks<Item extends BulkLink>(
  env: Env,
  caller: Caller,
  { items, ...request }: ItemsRequest<Item, BulkOutcome>,
  sql: string,
  planFor: (known: KnownLinks) => Promise<Plan<Item>>,
  notify: (changed: LinkSnapshot[]) => Promise<void>,
): Promise<DoneItems<BulkOutcome>> {
  const { accountId, mode } = caller;
  const valid = items.flatMap((item, position) =>
    item ? [{ item, position, key: { accountId, mode, id: item.id } }] : [],
  );
  const changed: LinkSnapshot[] = [];
  const plan: AliasedPlan<BulkOutcome> = async (isDone, allowance, reservations) => {
    const missing = valid.filter(({ position }) => !isDone(position));
    const ids = missing.map(({ item }) => item.id);
    const known = await readLinksOrTombstones(env, caller, ids);
    const planFrom = await planFor(known);
    const now = Date.now();
    const keys = missing.map(({ key }) => key);
    const databases = await databasesOfLinks(env, keys);
    const planned = planAll(missing, databases, known, planFrom, now, allowance);
    const values = { now, changed_by: changeAuthorOf(caller) };
    const aliased = aliasedLinks(planned, known);
    const aliases = await reservations.reserve(aliased);
    return partsOf(planned, (database, own) => [
      ...jsonTexts(changedRows(own, known)).map((rows) => prepareNamed(database, sql, { rows, ...values })),
      ...(aliases.get(database) ?? []),
      ...countAliases(database, caller, aliased, known, allowance),
    ]);
  };
  const committed = (rows: LinkRow[]) => void changed.push(...rows.map(snapshotOf));
  try {
    return await carryOutAliased(env, caller, { size: items.length, ...request, committed }, plan);
  } finally {
    await notify(changed);
  }
}

/** The links that get aliases, in their final state. */
function aliasedLinks(planned: readonly PlannedChange[], known: KnownLinks): LinkToAlias[] {
  const links = new Map<string, LinkToAlias>();
  for (const { position, database, planned: each } of planned) {
    if ("refusal" in each || !each.changes) continue;
    const { link } = each.stored;
    const added = aliasesBeyond(link.aliases, known.get(link.id)?.link.aliases ?? []);
    links.set(link.id, { position, link, database, added });
  }
  return [...links.values()].filter(({ added }) => added.length > 0);
}

/** Counts new aliases. A trigger counts removed ones, before this. */
function countAliases(
  database: D1Database,
  caller: Caller,
  aliased: readonly LinkToAlias[],
  known: KnownLinks,
  allowance: LinkAllowance,
): D1PreparedStatement[] {
  const added = aliased.filter((each) => each.database === database);
  if (added.length === 0) return [];
  const links = added.reduce((sum, each) => sum + each.added.length, 0);
  const made = added.reduce((sum, each) => {
    return sum + aliasesBeyond(each.added, known.get(each.link.id)?.link.retiredAliases ?? []).length;
  }, 0);
  return [countLinksStatement(database, caller, { links, made }, allowance.limitsIn(database))];
}

function planAll<Item extends BulkLink, Key extends PlannedItem<BulkOutcome>["key"]>(
  items: readonly { item: Item; position: number; key: Key }[],
  databases: ReadonlyMap<Key, D1Database>,
  known: KnownLinks,
  plan: Plan<Item>,
  now: number,
  allowance: LinkAllowance,
): PlannedChange[] {
  const current = new Map(known);
  return items.flatMap(({ item, position, key }) => {
    const before = current.get(item.id);
    const database = databases.get(key);
    const wanted = plan(item, before, now);
    const [former, present] = [aliasesOf(before), "stored" in wanted ? aliasesOf(wanted.stored) : aliasesOf(before)];
    const added = aliasesBeyond(present, former);
    const made = aliasesBeyond(added, before?.link.retiredAliases ?? []).length;
    const isRefused = database && added.length > 0 && !allowance.take(database, present.length - former.length, made);
    const planned: Planned = isRefused ? { refusal: allowance.refusal() } : wanted;
    if ("stored" in planned) current.set(item.id, planned.stored);
    const outcome = "stored" in planned ? { link: planned.stored.link } : planned;
    const changedAliases = aliasesBeyond(former, present).length + added.length;
    const changedTags = countChangedTags(tagsOf(before), tagsOf("stored" in planned ? planned.stored : before));
    const setsPassword = "changes" in planned && Boolean(planned.changes?.password);
    if (!database) return [];
    return [{ position, key, database, outcome, changedTags, changedAliases, setsPassword, planned }];
  });
}

function aliasesOf(stored: StoredLink | undefined): LinkAlias[] {
  return stored?.link.aliases ?? [];
}

function tagsOf(stored: StoredLink | undefined): string[] {
  return stored && stored.link.state !== "deleted" ? stored.link.tags : [];
}

/** One row per changed link, with everything that its items set. */
function changedRows(items: readonly PlannedChange[], known: KnownLinks): unknown[] {
  const changesById = new Map<string, { link: LinkRecord; changes: LinkChanges }>();
  for (const { planned } of items) {
    if ("refusal" in planned || !planned.changes) continue;
    const { link } = planned.stored;
    changesById.set(link.id, { link, changes: { ...changesById.get(link.id)?.changes, ...planned.changes } });
  }
  return [...changesById.values()].map(({ link, changes }) => [
    link.accountId,
    link.mode,
    link.id,
    known.get(link.id)?.link.revision,
    link.revision,
    link.updatedAt,
    contentValues(changes),
  ]);
}

function nextRevision(link: LinkRecord, now: number): LinkRecord {
  return { ...link, revision: link.revision + 1, updatedAt: Math.max(now, link.updatedAt + 1) };
}

function revisionChanged({ revision }: LinkRecord): ApiError {
  const message = `revision does not match the link's current revision, which is ${revision}.`;
  return new ApiError("precondition_failed", message, { param: "revision" });
}
