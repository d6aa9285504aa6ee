/**
 * Closes accounts. Closing revokes an account's keys and deletes its sessions, credentials and domains in one
 * transaction. Redirects read the account's state together with the link, so all its links answer 410 within ten
 * seconds, no matter how many there are. The maintenance object then erases the rest in chunks, with accounts taking
 * turns: first the storage of link and stream objects, then the rows. Every chunk is idempotent: an interrupted one is
 * repeated.
 */
import { backoffMs } from "../../core/retries.ts";
import type { LinkSnapshot } from "../../core/links/link-snapshot.ts";
import { eraseAccountClicks, eraseFeeds } from "../account-object-client.ts";
import { workInOneDatabase } from "../directory/directory.ts";
import { changeHome, type HomeEnv } from "../directory/home-copies.ts";
import { eraseLinkObject } from "../link-object-client.ts";
import { eraseLinks, listLinksToErase } from "../links/ended-links.ts";
import { ERASE_DELAY_MS } from "../links/links.ts";
import { eraseQrCodes } from "../qr-codes.ts";
import { eraseSocialImages } from "../social-images.ts";
import { prepareNamed, queryRow, changeRows } from "../statements.ts";

interface ClosedAccount {
  id: string;
  closed_at: number;
  stage: "links" | "rest";
  after_mode: string;
  after_link: string;
  tries: number;
}

/** Failed attempts to reach a chunk's objects, after which they are left to the outbox. */
const CHUNK_TRIES_MAX = 5;

const CLOSE_SQL = [
  // Concurrent requests may close the same account.
  "INSERT INTO closed_accounts (id, closed_at, due_at) VALUES (:account_id, :now, :due_at) ON CONFLICT DO NOTHING",
  "UPDATE api_keys SET revoked_at = :now WHERE account_id = :account_id AND revoked_at IS NULL",
  // The domain names are free immediately; the custom hostnames are released afterwards
  // (store/remote/custom-hostnames.ts).
  ...["feeds", "domains", "sessions", "credentials", "passkeys", "totp_factors", "operator_tokens"].map(
    (table) => `DELETE FROM ${table} WHERE account_id = :account_id`,
  ),
  "DELETE FROM accounts WHERE id = :account_id",
  // Any account invalidates a token for the first account, even after it is closed.
  "DELETE FROM operator_tokens WHERE purpose = 'setup'",
  `INSERT INTO account_states (account_id, state, since) VALUES (:account_id, 'closed', :now)
   ON CONFLICT DO UPDATE SET state = 'closed', since = :now WHERE state <> 'closed'`,
];

/** Closes an account. The caller then wakes the maintenance object; otherwise the cron job does so within a minute. */
export async function closeAccount(env: HomeEnv, accountId: string): Promise<void> {
  const now = Date.now();
  const values = { account_id: accountId, now, due_at: now + ERASE_DELAY_MS };
  const statements = CLOSE_SQL.map((sql) => prepareNamed(env.DB, sql, values));
  await changeHome(env, [accountId], statements);
}

/** When the next chunk is due, epoch ms; null when no account is being erased. */
export async function nextAccountEraseAt(env: Env): Promise<number | null> {
  return env.DB.prepare("SELECT min(due_at) AS at FROM closed_accounts").first<number | null>("at");
}

/**
 * Erases a chunk of the account that has waited longest.
 * @param limit  maximum number of calls to objects
 * @returns whether an account was due
 */
export async function eraseClosedAccountChunk(env: Env, limit: number): Promise<boolean> {
  const sql = "SELECT * FROM closed_accounts WHERE due_at <= ?1 ORDER BY due_at LIMIT 1";
  const account = await queryRow<ClosedAccount>(env.DB, sql, [Date.now()]);
  if (!account) return false;
  try {
    await (account.stage === "links" ? eraseNextLinks(env, account, limit) : eraseRest(env, account));
  } catch (error) {
    console.error("closed account not erased", { account: account.id, error: String(error) });
    const delay = "UPDATE closed_accounts SET due_at = ?2, tries = tries + 1 WHERE id = ?1";
    await changeRows(env.DB, delay, [account.id, Date.now() + backoffMs(account.tries + 1, Math.random())]);
  }
  return true;
}

async function eraseNextLinks(env: Env, account: ClosedAccount, limit: number): Promise<void> {
  const after = { mode: account.after_mode, id: account.after_link };
  const links = await listLinksToErase(env, account.id, after, limit);
  const last = links.at(-1);
  if (!last) return void (await saveProgressStatement(env, account, "rest").run());
  const failed = await eraseLinkObjects(env, links);
  if (failed.length === links.length && account.tries < CHUNK_TRIES_MAX) throw new Error("no object was reached");
  await eraseLinks(env, account.id, links, failed);
  await saveProgressStatement(env, account, "links", last).run();
}

/** @returns the links whose objects could not be reached */
async function eraseLinkObjects(env: Env, links: LinkSnapshot[]): Promise<LinkSnapshot[]> {
  const outcomes = await Promise.allSettled(links.map((link) => eraseLinkObject(env, link)));
  return links.filter((link, i) => {
    const outcome = outcomes[i];
    if (outcome?.status !== "rejected") return false;
    console.warn("link object not erased", { link: link.id, error: String(outcome.reason) });
    return true;
  });
}

async function eraseRest(env: Env, account: ClosedAccount): Promise<void> {
  if (!(await eraseOwnedData(env, account.id))) return void (await saveProgressStatement(env, account, "rest").run());
  await changeRows(env.DB, "DELETE FROM closed_accounts WHERE id = ?1", [account.id]);
}

/** Stores an account's progress. `due_at` is now, so every other due account gets its turn first. */
function saveProgressStatement(
  env: Env,
  account: ClosedAccount,
  stage: ClosedAccount["stage"],
  after: { mode: string; id: string } = { mode: account.after_mode, id: account.after_link },
): D1PreparedStatement {
  return env.DB.prepare(
    "UPDATE closed_accounts SET stage = ?2, after_mode = ?3, after_link = ?4, due_at = ?5, tries = 0 WHERE id = ?1",
  ).bind(account.id, stage, after.mode, after.id, Date.now());
}

type StorageBinding = {
  [Name in keyof Env]-?: Required<Env>[Name] extends DurableObjectNamespace | R2Bucket | D1Database | KVNamespace
    ? Name
    : never;
}[keyof Env];

/** Erases part of an account's data. Idempotent. @returns whether nothing is left */
type Erase = (env: Env, accountId: string) => Promise<boolean>;

/** The eraser of each binding, or the reason why there is nothing to erase. */
const OWNED_BINDINGS: Readonly<Record<StorageBinding, Erase | string>> = {
  // Before the rows, which alone have the image names.
  QR_IMAGES: async (env, accountId) => (await eraseQrCodes(env, accountId)) && eraseSocialImages(env, accountId),
  DB: eraseAccountRows,
  ACCOUNT_FEED: async (env, accountId) => {
    await eraseFeeds(env, accountId);
    return true;
  },
  ACCOUNT_CLICKS: async (env, accountId) => {
    await eraseAccountClicks(env, accountId);
    return true;
  },
  LINK_CLICKS: "erased with the account's links, chunk by chunk, before all of this (closed-accounts.ts)",
  IMAGE_OBJECTS: "erased with QR_IMAGES, which it replaces",
  MAINTENANCE: "stores counts of the whole deployment, and on which days there were salts",
  VISITOR_SALTS: "salts are those of all accounts, and erased after two days",
  SERVICE: "stores nothing",
};

/** @returns whether nothing is left; otherwise the caller calls again */
async function eraseOwnedData(env: Env, accountId: string): Promise<boolean> {
  for (const erase of Object.values(OWNED_BINDINGS)) {
    if (typeof erase === "function" && !(await erase(env, accountId))) return false;
  }
  return true;
}

/**
 * The tables whose rows are deleted with their account, with their primary keys. A test lists why each other table is
 * excluded, so it fails for a new table. The names are constants, never input.
 * @internal
 */
export const ERASED_TABLES: Readonly<Record<string, readonly string[]>> = {
  alias_domains: ["account_id", "mode", "domain", "link_id"],
  api_keys: ["id"],
  bulk_counts: ["account_id"],
  credentials: ["id"],
  domains: ["account_id", "mode", "id"],
  feeds: ["account_id", "mode"],
  idempotency: ["account_id", "mode", "key_hash"],
  idempotency_counts: ["account_id"],
  imported_links: ["account_id", "mode", "import_id", "link_id"],
  image_releases: ["due_at", "account_id", "mode", "image"],
  link_counts: ["account_id"],
  link_notes: ["account_id", "mode", "link_id", "id"],
  link_qr_counts: ["account_id", "link_id"],
  link_revisions: ["account_id", "mode", "link_id", "revision"],
  link_tags: ["account_id", "mode", "tag", "link_id"],
  operator_tokens: ["token_hash"],
  passkeys: ["id"],
  qr_codes: ["account_id", "mode", "id"],
  qr_counts: ["account_id"],
  request_shares: ["account_id", "mode", "key_hash"],
  saved_views: ["account_id", "name"],
  sessions: ["id"],
  shares: ["account_id", "mode", "id"],
  slug_cases: ["account_id", "mode", "domain"],
  social_image_counts: ["account_id"],
  social_images: ["account_id", "mode", "id"],
  stats_news: ["account_id", "mode", "link_id"],
  tags: ["account_id", "mode", "tag"],
  totp_factors: ["account_id"],
  utm_templates: ["account_id", "id"],
};

const CHUNK_ROWS = 1_000;

/** Whether an account, `?1`, has a row that is deleted with it. */
const HAS_ROWS_SQL = `SELECT ${Object.keys(ERASED_TABLES)
  .map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE account_id = ?1)`)
  .join(" OR ")} AS has_rows`;

/**
 * Deletes some of an account's rows in each table of one database: all databases would need more statements than
 * Workers' Free plan allows an invocation.
 * @returns whether none are left in any database
 */
async function eraseAccountRows(env: Env, accountId: string): Promise<boolean> {
  const hadRows = await workInOneDatabase(env, async (database) => {
    const hasRows = await database.prepare(HAS_ROWS_SQL).bind(accountId).first<number>("has_rows");
    if (hasRows !== 0) await eraseRowsIn(database, accountId);
    return hasRows !== 0;
  });
  return !hadRows;
}

async function eraseRowsIn(database: D1Database, accountId: string): Promise<void> {
  const deletions = Object.entries(ERASED_TABLES).map(([table, columns]) => {
    const key = columns.join(", ");
    return database
      .prepare(`DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE account_id = ?1 LIMIT ?2)`)
      .bind(accountId, CHUNK_ROWS);
  });
  await database.batch(deletions);
}
