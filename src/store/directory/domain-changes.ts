/**
 * Changes a domain only while its account has no links on it. In one database that is one statement, so no link can be
 * created between the check and the change. With several databases, the domain is locked while each one is searched for
 * its links. The lock is copied to every database (home-copies.ts), each of which then refuses links on the domain.
 * Requests for such links are retried, and answered with 503 if the lock outlasts the retries. The result is written
 * only while the same lock is in place. The lock of a canceled request ends when it expires. If that request resumes,
 * it finds that it has lost the lock, and writes nothing.
 */
import type { ApiError } from "../../core/errors.ts";
import type { Caller } from "../accounts/api-keys.ts";
import type { DomainRecord } from "../domains/domain-rows.ts";
import { EVER_HAD_LINKS_SQL, findSlugCase, HAS_LIVE_LINKS_SQL, hasLiveLinks } from "../links/domain-joins.ts";
import { UnavailableError } from "../timeout.ts";
import { onlyDatabase } from "./databases.ts";
import { changeHome } from "./home-copies.ts";

const LOCK_MS = 30_000;

interface DomainChange {
  /** @throws ApiError domain_not_found */
  read: () => Promise<DomainRecord>;
  /** Whether links could prevent the change, judging by the domain's record alone. */
  isBarredByLinks: (domain: DomainRecord) => boolean;
  bar: "links ever made" | "live links";
  refusal: (domain: DomainRecord) => ApiError;
  /**
   * Changes the row, and returns it.
   * @param condition  SQL on a row of `domains`: whether no links prevent the change
   * @param lock  value of its parameter `:lock`
   */
  statement: (condition: string, lock: number | null) => D1PreparedStatement;
}

/**
 * @returns the row
 * @throws ApiError, the `refusal` of the change, or an error of its `read`
 * @throws UnavailableError when another request changes the domain, or a database does not respond
 */
export async function changeDomain(env: Env, caller: Caller, change: DomainChange): Promise<object> {
  if (!onlyDatabase(env)) return changeLocked(env, caller, change);
  const hasLinksSql = change.bar === "live links" ? HAS_LIVE_LINKS_SQL : EVER_HAD_LINKS_SQL;
  const row = await change.statement(`NOT ${hasLinksSql}`, null).first<object>();
  if (row) return row;
  throw change.refusal(await change.read());
}

async function changeLocked(
  env: Env,
  caller: Caller,
  { read, isBarredByLinks, bar, refusal, statement }: DomainChange,
): Promise<object> {
  const domain = await read();
  const requireNoLinks = async () => {
    const own = { accountId: caller.accountId, mode: caller.mode, domain: domain.domain };
    const hasLinks = bar === "live links" ? await hasLiveLinks(env, own) : (await findSlugCase(env, own)) !== null;
    if (hasLinks) throw refusal(domain);
  };
  if (!isBarredByLinks(domain)) {
    const row = await statement("false", null).first<object>();
    if (!row) throw new UnavailableError("another request changes the domain");
    return row;
  }
  // Checked before locking, because no links can be created on the domain while it is locked.
  await requireNoLinks();
  return withDomainLocked(env, caller, domain, async (lock) => {
    await requireNoLinks();
    const lockedStatement = statement("locked_until = :lock", lock);
    const { results } = await changeHome<object>(env, [caller.accountId], [lockedStatement]);
    const row = results[0]?.results[0];
    if (!row) throw new UnavailableError("the domain was not locked long enough");
    return row;
  });
}

/**
 * @param work  receives the value of `locked_until`
 * @throws UnavailableError when another request has the lock, or a database does not respond
 */
async function withDomainLocked<T>(
  env: Env,
  { accountId, mode }: Caller,
  { id }: DomainRecord,
  work: (lock: number) => Promise<T>,
): Promise<T> {
  const lock = Date.now() + LOCK_MS;
  // An expired lock may be replaced. Locks are unique: each is later than the one it replaces.
  const lockStatement = env.DB.prepare(
    `UPDATE domains SET locked_until = ?4 WHERE account_id = ?1 AND mode = ?2 AND id = ?3
       AND (locked_until IS NULL OR locked_until <= ?5)`,
  ).bind(accountId, mode, id, lock, lock - LOCK_MS);
  const { results, isCopied } = await changeHome(env, [accountId], [lockStatement]);
  if (results[0]?.meta.changes === 0) throw new UnavailableError("another request changes the domain");
  try {
    if (!isCopied) throw new UnavailableError("a database of links does not respond");
    return await work(lock);
  } finally {
    const unlockStatement = env.DB.prepare(
      "UPDATE domains SET locked_until = NULL WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND locked_until = ?4",
    ).bind(accountId, mode, id, lock);
    // If this fails, the lock expires.
    await changeHome(env, [accountId], [unlockStatement]).catch((error) =>
      console.warn("domain not unlocked", { id, error: String(error) }),
    );
  }
}
