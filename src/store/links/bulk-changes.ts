/**
 * Updates or deletes several links in one transaction with the stored response of the request. Each link is changed or
 * refused on its own. The outcomes are planned from the rows as they were read, and the response that is stored shows
 * them; so the transaction fails when a planned link was changed meanwhile, and everything is planned again.
 */
import { ApiError, validationFailed } from "../../core/errors.ts";
import type { Hosts } from "../../core/hosts.ts";
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";
import { openingTimesProblems, withoutVoidStart } from "../../core/links/opening-times.ts";
import type { Caller } from "../accounts/caller.ts";
import { findTransferredDomains } from "../domains/domain-claims.ts";
import { type IdempotentRequest, storeResponseStatements } from "../idempotency.ts";
import { jsonTexts } from "../json-rows.ts";
import { prepareNamed } from "../named-statement.ts";
import { UnavailableError } from "../timeout.ts";
import { changeAuthorOf } from "./change-author.ts";
import { ERASE_DELAY_MS, notifyOfErasure, readLinksOrTombstones, type StoredLink } from "./deleted-links.ts";
import { domainTransferred } from "./inherited-links.ts";
import {
  contentAssignmentsSql,
  contentValues,
  type LinkRecord,
  type LinkRow,
  snapshotOf,
  TOMBSTONE_ASSIGNMENTS_SQL,
} from "./link-rows.ts";
import { transactionDatabase } from "./links-database.ts";
import type { LinkChanges } from "./links.ts";
import { deliverChanges } from "./outbox.ts";

/** One link of a request. The same link may stand there twice: the second sees what the first has done. */
export interface LinkReference {
  id: string;
  /** The revision that the link must be at; null for any. */
  revision: number | null;
}

export type LinkUpdate = LinkReference & { changes: LinkChanges };

/** The link as it is after the request, or why it was not changed. */
export type BulkOutcome = { link: LinkRecord } | { refusal: ApiError };

/** What becomes of an item: the link as it is afterwards, and the members that are set; null when nothing is written. */
type Planned = { stored: StoredLink; changes: LinkChanges | null } | { refusal: ApiError };

type KnownLinks = ReadonlyMap<string, StoredLink>;

/** Attempts against concurrent changes of the same links. */
const MAX_TRIES = 5;

/**
 * Changes links by one statement, since a plan of Workers limits the statements of a request; `:rows` are those of
 * `changedRow`. `revision` becomes NULL, which its constraint refuses, when a link is not at the revision any more at
 * which it was read.
 */
const changeLinksSql = (assignments: string) => `UPDATE links SET ${assignments},
    revision = iif(revision = changed.value ->> 3, changed.value ->> 4, NULL), updated_at = changed.value ->> 5
  FROM json_each(:rows) AS changed
  WHERE account_id = changed.value ->> 0 AND mode = changed.value ->> 1 AND links.id = changed.value ->> 2
  RETURNING *`;

const UPDATE_SQL = changeLinksSql(contentAssignmentsSql("changed.value", "$[6]"));

const TOMBSTONE_SQL = `${TOMBSTONE_ASSIGNMENTS_SQL}, deleted_at = coalesce(deleted_at, :now)`;

const DELETE_SQL = changeLinksSql(TOMBSTONE_SQL);

const ERASE_SQL = changeLinksSql(`${TOMBSTONE_SQL}, erase_at = :now + ${ERASE_DELAY_MS}`);

function isRevisionChangedError(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: links.revision");
}

/**
 * Updates links. Objects of changed links are told before it returns.
 * @param toStored  builds the stored payload; null to store nothing
 * @throws UnavailableError when others keep changing the same links
 * @throws the UNIQUE error of D1 when a concurrent request with the same key committed first
 */
export async function updateLinks(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  caller: Caller,
  { shortDomains }: Hosts,
  updates: readonly LinkUpdate[],
  idempotentRequest: IdempotentRequest | null,
  toStored: (outcomes: BulkOutcome[]) => unknown,
): Promise<BulkOutcome[]> {
  const planFor = async (known: KnownLinks): Promise<Plan<LinkUpdate>> => {
    const domains = new Set([...known.values()].map(({ link }) => link.domain));
    domains.delete(shortDomains[caller.mode]);
    const transferred = await findTransferredDomains(env, caller, [...domains]);
    return ({ revision, changes: sent }, stored, now) => {
      if (!stored || stored.link.state === "deleted") return { refusal: new ApiError("link_not_found") };
      const { link } = stored;
      const changes = withoutVoidStart(sent, link, now);
      const isUnchanged = Object.keys(changes).length === 0;
      if (!isUnchanged && transferred.has(link.domain)) return { refusal: domainTransferred(link.domain) };
      if (revision !== null && revision !== link.revision) return { refusal: revisionChanged(link) };
      if (isUnchanged) return { stored, changes: null };
      const problems = openingTimesProblems(changes, link);
      if (problems.length > 0) return { refusal: validationFailed(problems) };
      return { stored: { ...stored, link: { ...nextRevision(link, now), ...changes } }, changes };
    };
  };
  const request = { items: updates, idempotentRequest, toStored };
  const { outcomes, changed } = await changeLinks(env, caller, request, UPDATE_SQL, planFor);
  await deliverChanges(env, ctx, changed);
  return outcomes;
}

/**
 * Deletes links, and erases their clicks where `erases` says so: of links too that were deleted before. Parameters and
 * errors are those of `updateLinks`.
 */
export async function deleteLinks(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  caller: Caller,
  links: readonly LinkReference[],
  erases: boolean,
  idempotentRequest: IdempotentRequest | null,
  toStored: (outcomes: BulkOutcome[]) => unknown,
): Promise<BulkOutcome[]> {
  const plan: Plan<LinkReference> = ({ revision }, stored, now) => {
    if (!stored || (stored.link.state === "deleted" && !erases)) return { refusal: new ApiError("link_not_found") };
    if (stored.isErased) return { stored, changes: null };
    const { link } = stored;
    if (revision !== null && revision !== link.revision) return { refusal: revisionChanged(link) };
    return { stored: { link: { ...nextRevision(link, now), state: "deleted" }, isErased: erases }, changes: {} };
  };
  const request = { items: links, idempotentRequest, toStored };
  const sql = erases ? ERASE_SQL : DELETE_SQL;
  const { outcomes, changed } = await changeLinks(env, caller, request, sql, async () => plan);
  if (erases) await notifyOfErasure(env, ctx, changed);
  else await deliverChanges(env, ctx, changed);
  return outcomes;
}

type Plan<Item> = (item: Item, stored: StoredLink | undefined, now: number) => Planned;

interface BulkRequest<Item> {
  items: readonly Item[];
  idempotentRequest: IdempotentRequest | null;
  toStored: (outcomes: BulkOutcome[]) => unknown;
}

/** @returns an outcome for each item, in order, and the links that were changed, as they are now */
async function changeLinks<Item extends LinkReference>(
  env: Env,
  caller: Caller,
  { items, idempotentRequest, toStored }: BulkRequest<Item>,
  sql: string,
  planFor: (known: KnownLinks) => Promise<Plan<Item>>,
): Promise<{ outcomes: BulkOutcome[]; changed: LinkSnapshot[] }> {
  const database = transactionDatabase(env);
  const ids = items.map(({ id }) => id);
  for (let attempt = 1; ; attempt++) {
    const known = await readLinksOrTombstones(env, caller, ids);
    const plan = await planFor(known);
    const now = Date.now();
    const planned = planAll(items, known, plan, now);
    const outcomes = planned.map((each) => ("stored" in each ? { link: each.stored.link } : each));
    const response = toStored(outcomes);
    const values = { now, changed_by: changeAuthorOf(caller) };
    const statements = [
      ...jsonTexts(changedRows(planned, known)).map((rows) => prepareNamed(database, sql, { rows, ...values })),
      ...(response === null ? [] : storeResponseStatements(database, caller, idempotentRequest, response)),
    ];
    try {
      const results = statements.length === 0 ? [] : await database.batch<LinkRow>(statements);
      return { outcomes, changed: results.flatMap((result) => result.results).map(snapshotOf) };
    } catch (error) {
      if (!isRevisionChangedError(error)) throw error;
      if (attempt === MAX_TRIES) throw new UnavailableError("the links are changed by others all the time");
    }
  }
}

function planAll<Item extends LinkReference>(
  items: readonly Item[],
  known: KnownLinks,
  plan: Plan<Item>,
  now: number,
): Planned[] {
  const current = new Map(known);
  return items.map((item) => {
    const planned = plan(item, current.get(item.id), now);
    if ("stored" in planned) current.set(item.id, planned.stored);
    return planned;
  });
}

/** A row for each link that is changed, with all that its items set. */
function changedRows(planned: readonly Planned[], known: KnownLinks): unknown[] {
  const changesById = new Map<string, { link: LinkRecord; changes: LinkChanges }>();
  for (const each of planned) {
    if ("refusal" in each || !each.changes) continue;
    const { link } = each.stored;
    changesById.set(link.id, { link, changes: { ...changesById.get(link.id)?.changes, ...each.changes } });
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
  return new ApiError("precondition_failed", `revision is not the link's current one, which is ${revision}`, {
    param: "revision",
  });
}
