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
import { prepareNamed } from "../named-statement.ts";
import { UnavailableError } from "../timeout.ts";
import { ERASE_DELAY_MS, notifyOfErasure, readLinksOrTombstones, type StoredLink } from "./deleted-links.ts";
import { domainTransferred } from "./inherited-links.ts";
import {
  changeValues,
  CONTENT_ASSIGNMENTS_SQL,
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

type Planned = { stored: StoredLink; statement: D1PreparedStatement | null } | { refusal: ApiError };

type KnownLinks = ReadonlyMap<string, StoredLink>;

/** Attempts against concurrent changes of the same links. */
const MAX_TRIES = 5;

/** `revision` becomes NULL, which its constraint refuses, when the link is not at the planned revision any more. */
const NEXT_REVISION_SQL = `updated_at = max(:now, updated_at + 1),
  revision = iif(revision = :revision, revision + 1, NULL)
  WHERE account_id = :account_id AND mode = :mode AND id = :id RETURNING *`;

const UPDATE_SQL = `UPDATE links SET ${CONTENT_ASSIGNMENTS_SQL}, ${NEXT_REVISION_SQL}`;

const DELETE_SQL = `UPDATE links SET ${TOMBSTONE_ASSIGNMENTS_SQL}, deleted_at = coalesce(deleted_at, :now),
  erase_at = :erase_at, ${NEXT_REVISION_SQL}`;

function isRevisionChangedError(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: links.revision");
}

/**
 * Updates links. Objects of changed links are told before it returns.
 * @param toStored  builds the stored payload
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
  const database = transactionDatabase(env);
  const { outcomes, changed } = await changeLinks(env, caller, updates, idempotentRequest, toStored, async (known) => {
    const domains = new Set([...known.values()].map(({ link }) => link.domain));
    domains.delete(shortDomains[caller.mode]);
    const transferred = await findTransferredDomains(env, caller, [...domains]);
    return ({ id, revision, changes: sent }, stored, now) => {
      if (!stored || stored.link.state === "deleted") return { refusal: new ApiError("link_not_found") };
      const { link } = stored;
      const changes = withoutVoidStart(sent, link, now);
      const isUnchanged = Object.keys(changes).length === 0;
      if (!isUnchanged && transferred.has(link.domain)) return { refusal: domainTransferred(link.domain) };
      if (revision !== null && revision !== link.revision) return { refusal: revisionChanged(link) };
      if (isUnchanged) return { stored, statement: null };
      const problems = openingTimesProblems(changes, link);
      if (problems.length > 0) return { refusal: validationFailed(problems) };
      const values = { ...changeValues(changes), ...ownerValues(caller), id, now, revision: link.revision };
      return {
        stored: { ...stored, link: { ...nextRevision(link, now), ...changes } },
        statement: prepareNamed(database, UPDATE_SQL, values),
      };
    };
  });
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
  const database = transactionDatabase(env);
  const plan: Plan<LinkReference> = ({ id, revision }, stored, now) => {
    if (!stored || (stored.link.state === "deleted" && !erases)) return { refusal: new ApiError("link_not_found") };
    if (stored.isErased) return { stored, statement: null };
    const { link } = stored;
    if (revision !== null && revision !== link.revision) return { refusal: revisionChanged(link) };
    const erase_at = erases ? now + ERASE_DELAY_MS : null;
    return {
      stored: { link: { ...nextRevision(link, now), state: "deleted" }, isErased: erases },
      statement: prepareNamed(database, DELETE_SQL, {
        ...ownerValues(caller),
        id,
        now,
        revision: link.revision,
        erase_at,
      }),
    };
  };
  const { outcomes, changed } = await changeLinks(env, caller, links, idempotentRequest, toStored, async () => plan);
  if (erases) await notifyOfErasure(env, ctx, changed);
  else await deliverChanges(env, ctx, changed);
  return outcomes;
}

type Plan<Item> = (item: Item, stored: StoredLink | undefined, now: number) => Planned;

/** @returns an outcome for each item, in order, and the links that were changed, as they are now */
async function changeLinks<Item extends LinkReference>(
  env: Env,
  caller: Caller,
  items: readonly Item[],
  idempotentRequest: IdempotentRequest | null,
  toStored: (outcomes: BulkOutcome[]) => unknown,
  planFor: (known: KnownLinks) => Promise<Plan<Item>>,
): Promise<{ outcomes: BulkOutcome[]; changed: LinkSnapshot[] }> {
  const database = transactionDatabase(env);
  const ids = items.map(({ id }) => id);
  for (let attempt = 1; ; attempt++) {
    const known = await readLinksOrTombstones(env, caller, ids);
    const planned = planAll(items, known, await planFor(known));
    const outcomes = planned.map((each) => ("stored" in each ? { link: each.stored.link } : each));
    const statements = [
      ...planned.flatMap((each) => ("stored" in each && each.statement ? [each.statement] : [])),
      ...storeResponseStatements(database, caller, idempotentRequest, toStored(outcomes)),
    ];
    try {
      const results = statements.length === 0 ? [] : await database.batch<LinkRow>(statements);
      return { outcomes, changed: newestSnapshots(results.flatMap((result) => result.results)) };
    } catch (error) {
      if (!isRevisionChangedError(error)) throw error;
      if (attempt === MAX_TRIES) throw new UnavailableError("the links are changed by others all the time");
    }
  }
}

function planAll<Item extends LinkReference>(items: readonly Item[], known: KnownLinks, plan: Plan<Item>): Planned[] {
  const now = Date.now();
  const current = new Map(known);
  return items.map((item) => {
    const planned = plan(item, current.get(item.id), now);
    if ("stored" in planned) current.set(item.id, planned.stored);
    return planned;
  });
}

/** The last row of each link. */
function newestSnapshots(rows: readonly LinkRow[]): LinkSnapshot[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()].map(snapshotOf);
}

function nextRevision(link: LinkRecord, now: number): LinkRecord {
  return { ...link, revision: link.revision + 1, updatedAt: Math.max(now, link.updatedAt + 1) };
}

function ownerValues({ accountId, mode }: Caller) {
  return { account_id: accountId, mode };
}

function revisionChanged({ revision }: LinkRecord): ApiError {
  return new ApiError("precondition_failed", `revision is not the link's current one, which is ${revision}`, {
    param: "revision",
  });
}
