/** The operator's overview of the database: the number of accounts, and the work queued for the maintenance object. */
import type { ManagedAccount, ManagedAccountList, OperatorOverview } from "../../core/contract/operator.ts";
import { timestamp, timestampOrNull } from "../../core/time.ts";
import type { LinksEnv } from "../directory/databases.ts";
import { countDueDeliveries } from "../links/outbox.ts";
import { pageOf } from "../statements.ts";

/** Maximum rows counted: D1 bills each row that is read. */
const COUNTED_MAX = 100_000;
const NEWEST_ACCOUNTS = 10;

type Overview = Pick<OperatorOverview, "accounts" | "outbox" | "closing_accounts">;

/** @param now  epoch ms */
export async function readOverview(env: LinksEnv, now: number): Promise<Overview> {
  const { DB } = env;
  const count = (table: string) =>
    DB.prepare(`SELECT count(*) AS n FROM (SELECT 1 FROM ${table} LIMIT ?1)`)
      .bind(COUNTED_MAX + 1)
      .first<number>("n");
  const [accounts, newest, outbox, closing] = await Promise.all([
    count("accounts"),
    // Ids begin with their creation time.
    readAccounts(DB.prepare(`${ACCOUNTS_SQL} ORDER BY a.id DESC LIMIT ?1`).bind(NEWEST_ACCOUNTS)),
    countDueDeliveries(env, now, COUNTED_MAX + 1),
    count("closed_accounts"),
  ]);
  return {
    accounts: { ...boundedCount(accounts), newest },
    outbox: boundedCount(outbox),
    closing_accounts: boundedCount(closing),
  };
}

const FOUND_ACCOUNTS_MAX = 20;

/**
 * @param search  the beginning of an email address, or an id
 * @param cursor  the last email address of the page before; "" for the first page
 */
export async function searchAccounts(
  { DB }: Pick<Env, "DB">,
  { search, cursor }: { search: string; cursor: string },
): Promise<ManagedAccountList> {
  const sql = `${ACCOUNTS_SQL} WHERE (a.id = ?1 AND a.email > ?2)
      OR (a.email >= max(?1, ?2) AND a.email <> ?2 AND a.email < ?1 || char(1114111))
    ORDER BY a.email LIMIT ?3`;
  const found = await readAccounts(DB.prepare(sql).bind(search, cursor, FOUND_ACCOUNTS_MAX + 1));
  const { items, nextCursor } = pageOf(found, FOUND_ACCOUNTS_MAX, ({ email }) => email);
  return { data: items, next_cursor: nextCursor };
}

const ACCOUNTS_SQL = `SELECT a.id, a.email, a.plan, a.is_operator AS isOperator, a.created_at AS createdAt,
    s.since AS suspendedAt, EXISTS (SELECT 1 FROM totp_factors t WHERE t.account_id = a.id) AS hasTotp
  FROM accounts a LEFT JOIN account_states s ON s.account_id = a.id AND s.state = 'suspended'`;

interface AccountRow extends Pick<ManagedAccount, "id" | "email" | "plan"> {
  isOperator: number;
  createdAt: number;
  suspendedAt: number | null;
  hasTotp: number;
}

async function readAccounts(statement: D1PreparedStatement): Promise<ManagedAccount[]> {
  const { results } = await statement.all<AccountRow>();
  return results.map(({ isOperator, createdAt, suspendedAt, hasTotp, ...account }) => ({
    ...account,
    is_operator: isOperator === 1,
    has_totp: hasTotp === 1,
    created_at: timestamp(createdAt),
    suspended_at: timestampOrNull(suspendedAt),
  }));
}

function boundedCount(n: number | null) {
  return { count: Math.min(n ?? 0, COUNTED_MAX), is_more: (n ?? 0) > COUNTED_MAX };
}
