/**
 * Claims of domain names, and the findings of checks. The database allows only one account at a time to have verified a
 * name.
 */
import type { Mode } from "../../core/account.ts";
import type { DomainStatus } from "../../core/domains/domain-verification.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { changeHome } from "../directory/home-copies.ts";
import { prepareNamed, queryRow, queryRows } from "../statements.ts";
import { type DomainRecord, domainRecordOf, domainValues } from "./domain-rows.ts";
import { signalOf, UnavailableError } from "../timeout.ts";

/**
 * Starts a check, unless one started within `freshMs`: only one of several concurrent requests queries DNS.
 * @returns null when no check is due, or there is no such domain
 */
export async function startCheckIfDue(
  env: Env,
  caller: Caller,
  id: string,
  now: number,
  minIntervalMs: number,
): Promise<DomainRecord | null> {
  const sql = `UPDATE domains SET check_started_at = ?4
    WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND (check_started_at IS NULL OR check_started_at <= ?4 - ?5)
    RETURNING *`;
  const row = await queryRow(env.DB, sql, [caller.accountId, caller.mode, id, now, minIntervalMs]);
  return row && domainRecordOf(row);
}

/** The domain of the account that has verified a name, with its verification token. */
export interface DomainHolder {
  id: string;
  mode: Mode;
  token: string;
}

/** Returns another account's domain that has verified a name; null when there is none. */
export async function findOtherHolder(env: Env, caller: Caller, domain: string): Promise<DomainHolder | null> {
  const sql =
    "SELECT id, mode, token FROM domains WHERE domain = ?3 AND verified_at IS NOT NULL AND NOT (account_id = ?1 AND mode = ?2)";
  return queryRow<DomainHolder>(env.DB, sql, [caller.accountId, caller.mode, domain]);
}

/** How long to keep a former holder's custom hostname so that the new holder's records can take effect. */
const HOSTNAME_GRACE_MS = DAY_MS;

/**
 * Claims a name for the caller. The UNIQUE index lets one of several concurrent claims succeed. A trigger records the
 * holder, which ends the previous holder's links (domain-holders.ts).
 * @param lapsedId  id of a former holder's domain whose proof is gone: unverified in the same transaction. Invalidates
 *   their running check. Their custom hostname is queued for deletion HOSTNAME_GRACE_MS later and is kept if the new
 *   holder has adopted it by then (store/remote/custom-hostnames.ts)
 * @returns false when another account has verified the name
 * @throws UnavailableError when the name is claimed, but a database without the claim still redirects the earlier links
 */
export async function claimDomain(env: Env, caller: Caller, id: string, lapsedId: string | null): Promise<boolean> {
  const now = Date.now();
  const lapsedHolderSql = `domain = (SELECT domain FROM domains WHERE account_id = ?1 AND mode = ?2 AND id = ?3)
       AND verified_at IS NOT NULL AND id = ?4`;
  const noteHostnameStatement = env.DB.prepare(
    `INSERT INTO hostname_releases (id, domain, due_at) SELECT custom_hostname_id, domain, ?5 FROM domains
     WHERE ${lapsedHolderSql} AND custom_hostname_id IS NOT NULL ON CONFLICT DO NOTHING`,
  ).bind(caller.accountId, caller.mode, id, lapsedId, now + HOSTNAME_GRACE_MS);
  const unverifyStatement = env.DB.prepare(
    `UPDATE domains SET verified_at = NULL, status = iif(status = 'active', 'misconfigured', status),
       custom_hostname_id = NULL, check_started_at = NULL
     WHERE ${lapsedHolderSql}`,
  ).bind(caller.accountId, caller.mode, id, lapsedId);
  const claimStatement = env.DB.prepare(
    "UPDATE domains SET verified_at = ?4 WHERE account_id = ?1 AND mode = ?2 AND id = ?3 AND verified_at IS NULL",
  ).bind(caller.accountId, caller.mode, id, now);
  try {
    const { isCopied } = await changeHome(
      env,
      [caller.accountId, ...(await findHolders(env, caller, id))],
      lapsedId === null ? [claimStatement] : [noteHostnameStatement, unverifyStatement, claimStatement],
    );
    if (!isCopied) throw new UnavailableError("a database of links does not respond");
    return true;
  } catch (error) {
    if (signalOf(error) === "domain_claimed") return false;
    throw error;
  }
}

/** Finds the account that has verified the name of a domain, if there is one. */
async function findHolders(env: Env, { accountId, mode }: Caller, id: string): Promise<string[]> {
  const sql = `SELECT account_id FROM domains WHERE verified_at IS NOT NULL
    AND domain = (SELECT domain FROM domains WHERE account_id = ?1 AND mode = ?2 AND id = ?3)`;
  const results = await queryRows<{ account_id: string }>(env.DB, sql, [accountId, mode, id]);
  return results.map(({ account_id }) => account_id);
}

const SAVE_CHECK_SQL = `UPDATE domains
  SET status = :status, findings = :findings, custom_hostname_id = :custom_hostname_id, checked_at = :now
  WHERE account_id = :account_id AND mode = :mode AND id = :id AND check_started_at = :check_started_at RETURNING *`;

/**
 * Stores the findings of a check.
 * @param formerStatus  the domain's status when the check began
 * @returns null when superseded: the domain was deleted, passed to another account, or a later check began
 */
export async function saveCheck(
  env: Env,
  caller: Caller,
  checked: Pick<DomainRecord, "id" | "status" | "findings" | "customHostnameId" | "checkStartedAt">,
  formerStatus: DomainStatus,
): Promise<DomainRecord | null> {
  const statement = prepareNamed(env.DB, SAVE_CHECK_SQL, {
    ...domainValues(checked),
    account_id: caller.accountId,
    mode: caller.mode,
    now: Date.now(),
  });
  const row =
    checked.status === formerStatus
      ? await statement.first()
      : (await changeHome<object>(env, [caller.accountId], [statement])).results[0]?.results[0];
  return row ? domainRecordOf(row) : null;
}

/** Whether a verified domain of this name uses this custom hostname. */
export async function isHostnameInUse(env: Env, domain: string, customHostnameId: string): Promise<boolean> {
  const sql = "SELECT 1 FROM domains WHERE domain = ?1 AND verified_at IS NOT NULL AND custom_hostname_id = ?2";
  const row = await queryRow(env.DB, sql, [domain, customHostnameId]);
  return row !== null;
}
