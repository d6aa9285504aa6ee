/** The operator's overview of the database: the number of accounts, and the work queued for the maintenance object. */
import type { OperatorOverview } from "../../core/contract/operator.ts";
import { timestamp } from "../../core/time.ts";
import type { Account } from "../accounts/accounts.ts";
import type { LinksEnv } from "../directory/databases.ts";
import { countDueDeliveries } from "../links/outbox.ts";

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
    DB.prepare("SELECT id, email, plan, created_at AS createdAt FROM accounts ORDER BY id DESC LIMIT ?1")
      .bind(NEWEST_ACCOUNTS)
      .all<Account & { createdAt: number }>(),
    countDueDeliveries(env, now, COUNTED_MAX + 1),
    count("closed_accounts"),
  ]);
  return {
    accounts: {
      ...boundedCount(accounts),
      newest: newest.results.map(({ createdAt, ...account }) => ({ ...account, created_at: timestamp(createdAt) })),
    },
    outbox: boundedCount(outbox),
    closing_accounts: boundedCount(closing),
  };
}

function boundedCount(n: number | null) {
  return { count: Math.min(n ?? 0, COUNTED_MAX), is_more: (n ?? 0) > COUNTED_MAX };
}
