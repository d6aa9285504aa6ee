/** An inherited link (inherited-links.ts) is ended, and its address given to a new link of the domain's holder. */
import { ApiError } from "../../core/errors.ts";
import type { Caller } from "../accounts/caller.ts";
import type { IdempotentRequest } from "../request-shares.ts";
import { carryOut } from "./divided-requests.ts";
import { readInheritedLink } from "./inherited-links.ts";
import {
  domainNotActive,
  insertLinksStatements,
  isAddressTakenError,
  isDomainNotActiveError,
  type NewLink,
  newLinkRecord,
} from "./link-creation.ts";
import {
  countLinksStatement,
  isLinkQuotaError,
  type LinkAllowance,
  readLinkAllowance,
  unaskedAllowance,
} from "./link-quota.ts";
import { type LinkRecord, type LinkRow, snapshotOf, TOMBSTONE_ASSIGNMENTS_SQL } from "./link-rows.ts";
import { linksDatabase, onlyDatabase } from "./links-database.ts";
import { databasesOfLinks, type RequestPart, soleOutcome } from "./links-request.ts";
import { deliverChange } from "./outbox.ts";
import { isBucketMovedError } from "./written-links.ts";

const CHANGES_ALL_THE_TIME = "The link was changed again and again meanwhile; try again";

/**
 * Ends a link and gives its address to a new link of the caller, in the transaction of what is stored for a retry. The new
 * link has an object of its own; the old link's clicks stay where they are. Its revision continues the old one's, so that
 * isolates and objects can tell which of the two is newer.
 * @throws ApiError link_not_found, quota_exceeded; validation_failed when the domain ceased to be active meanwhile;
 *   unavailable when the link changed at each attempt
 * @throws as `carryOut` where a copy of the request was faster
 */
export async function takeOverLink(
  env: Env,
  ctx: Pick<ExecutionContext, "waitUntil">,
  caller: Caller,
  wanted: NewLink & { slug: string },
  idempotentRequest: IdempotentRequest | null,
  toStored: (link: LinkRecord) => unknown,
): Promise<LinkRecord> {
  const ended: LinkRow[] = [];
  let asksOthers = false;
  const [done] = await carryOut<LinkRecord>(env, caller, {
    size: 1,
    idempotentRequest,
    stored: { ofItem: toStored, ofRequest: ([link]) => link },
    plan: async () => {
      const allowance = asksOthers ? await readLinkAllowance(env, caller) : unaskedAllowance(env, caller);
      return [await planTakeOver(env, caller, wanted, allowance)];
    },
    replan: async (error, isLastTry) => {
      if (isDomainNotActiveError(error)) throw domainNotActive();
      if (isLinkQuotaError(error)) {
        if (asksOthers || onlyDatabase(env)) throw (await readLinkAllowance(env, caller)).refusal();
        asksOthers = true;
      } else if (!isAddressTakenError(error) && !isBucketMovedError(error)) {
        throw error;
      } else if (isLastTry) {
        // The old link changed between the read and the write, so it was not ended.
        throw new ApiError("unavailable", CHANGES_ALL_THE_TIME, { retryAfterSeconds: 1 });
      }
    },
    committed: (rows) => void ended.push(...rows),
  });
  for (const row of ended) await deliverChange(env, ctx, snapshotOf(row));
  return soleOutcome(done);
}

async function planTakeOver(
  env: Env,
  caller: Caller,
  wanted: NewLink & { slug: string },
  allowance: LinkAllowance,
): Promise<RequestPart<LinkRecord>> {
  const databases = await databasesOfLinks(env, [wanted]);
  const database = databases.get(wanted) ?? linksDatabase(env, wanted);
  const old = await readInheritedLink(env, caller, wanted.domain, wanted.slug);
  const made = newLinkRecord(caller, { ...wanted, slug: old.slug });
  const link = { ...made, revision: old.revision + 2, predecessorId: old.id };
  if (!allowance.take(database)) throw allowance.refusal();
  const statements = [
    endLinkStatement(database, old, link),
    ...insertLinksStatements(env, database, [link]),
    countLinksStatement(database, caller, 1, allowance.limitsIn(database)),
  ];
  const item = { position: 0, key: wanted, database, outcome: link, changedTags: link.tags.length };
  return { database, items: [item], statements };
}

/** Ends the link if it is still at the revision that was read; otherwise it keeps the address. */
function endLinkStatement(database: D1Database, old: LinkRow, { id, createdAt }: LinkRecord): D1PreparedStatement {
  return database
    .prepare(
      `UPDATE links SET ${TOMBSTONE_ASSIGNMENTS_SQL}, successor_id = ?5, deleted_at = coalesce(deleted_at, ?6),
       updated_at = max(?6, updated_at + 1), revision = revision + 1
     WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND revision = ?4 AND successor_id IS NULL RETURNING *`,
    )
    .bind(old.account_id, old.mode, old.id, old.revision, id, createdAt);
}
