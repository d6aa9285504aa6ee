/**
 * The tables of a backup. A test knows why each other table is none of them, so a new table fails there. The names are
 * constants, never input.
 */

import { SETUP_CHECK_EMAIL } from "../../core/account.ts";

export interface BackedUpTable {
  /** The primary key, in its order. */
  key: readonly string[];
  /** Columns that start afresh: a restored row gets their defaults. */
  omitted?: readonly string[];
  /** Whether rows have `created_at`, epoch ms: those made after the backup began are left out. */
  hasCreationTime: boolean;
  /** Of the rows that are backed up. */
  where?: string;
  /** Rows of a page at most, where each is a call to an object or a bucket: a request may make 50 on Workers' free plan. */
  pageRows?: number;
}

const PAGE_ROWS = 500;

const OWNED_KEY = ["account_id", "mode", "id"];

/**
 * In the order in which they are read. Rows that refer to others come before those, so that what they refer to is in the
 * backup too, however much is created meanwhile.
 */
export const BACKED_UP_TABLES = {
  // Few: each page has the images too.
  qr_codes: { key: OWNED_KEY, hasCreationTime: true, pageRows: 8 },
  links: { key: OWNED_KEY, hasCreationTime: true, pageRows: 32 },
  // After the links: what a link was before a change that came after its row was read is dropped by the restore.
  link_revisions: {
    key: ["account_id", "mode", "link_id", "revision"],
    hasCreationTime: false,
    where: "account_id NOT IN (SELECT account_id FROM account_states WHERE state = 'closed')",
  },
  // Before the domains: a trigger of those makes up for a domain that has passed on meanwhile.
  domain_holders: { key: ["domain"], hasCreationTime: false },
  domains: { key: OWNED_KEY, omitted: ["locked_until"], hasCreationTime: true },
  api_keys: { key: ["id"], hasCreationTime: true },
  credentials: { key: ["id"], hasCreationTime: false },
  passkeys: { key: ["id"], hasCreationTime: false },
  qr_counts: { key: ["account_id"], hasCreationTime: false },
  // Of accounts whose stream is open, or was lately: restored in the feeds' objects alone (backup-pages.ts).
  feeds: { key: ["account_id", "mode"], hasCreationTime: false, where: "until > 0", pageRows: 32 },
  hostname_releases: { key: ["id"], omitted: ["due_at", "tries"], hasCreationTime: false },
  // Without the account with which setup tries a deployment: each installation has its own.
  accounts: { key: ["id"], hasCreationTime: true, where: `email <> '${SETUP_CHECK_EMAIL}'` },
  // Erasing starts again from the first link: the rows of links are older than the progress.
  closed_accounts: {
    key: ["id"],
    omitted: ["stage", "after_mode", "after_link", "tries"],
    hasCreationTime: false,
  },
  account_states: { key: ["account_id"], hasCreationTime: false },
} as const satisfies Record<string, BackedUpTable>;

export type BackedUpTableName = keyof typeof BACKED_UP_TABLES;

export const BACKED_UP_TABLE_NAMES = Object.keys(BACKED_UP_TABLES) as BackedUpTableName[];

export function pageRowsOf(name: BackedUpTableName): number {
  const { pageRows = PAGE_ROWS }: BackedUpTable = BACKED_UP_TABLES[name];
  return pageRows;
}
