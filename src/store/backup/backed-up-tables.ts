/**
 * The tables of a backup. A test lists why each other table is excluded, so it fails for a new table. The names are
 * constants, never input.
 */

import { SETUP_CHECK_EMAIL } from "../../core/account.ts";

export interface BackedUpTable {
  /** The primary key columns, in order. */
  key: readonly string[];
  /** Columns that are reset: a restored row gets their defaults. */
  omitted?: readonly string[];
  /** Whether rows have `created_at`, epoch ms: rows created after the backup began are left out. */
  hasCreationTime: boolean;
  /** SQL condition for the rows that are backed up. */
  where?: string;
  /** Maximum rows of a page if each needs a call to an object or a bucket: Workers' Free plan allows 50 per request. */
  pageRows?: number;
}

const PAGE_ROWS = 500;

const OWNED_KEY = ["account_id", "mode", "id"];

/**
 * In reading order. Rows that refer to others come before them, so that the backup contains what they refer to, even if
 * rows are created in the meantime.
 */
export const BACKED_UP_TABLES = {
  // Few rows: each page also has the images.
  qr_codes: { key: OWNED_KEY, hasCreationTime: true, pageRows: 8 },
  // Each image has up to 2 MiB, twice that in a page.
  social_images: { key: OWNED_KEY, hasCreationTime: true, pageRows: 1 },
  imported_links: { key: ["account_id", "mode", "import_id", "link_id"], hasCreationTime: false },
  links: { key: OWNED_KEY, hasCreationTime: true, pageRows: 32 },
  // After the links: the restore drops history from changes made after the link's row was read.
  link_revisions: {
    key: ["account_id", "mode", "link_id", "revision"],
    hasCreationTime: false,
    where: "account_id NOT IN (SELECT account_id FROM account_states WHERE state = 'closed')",
  },
  // Before the domains, whose trigger corrects this table if a domain passes on in the meantime.
  domain_holders: { key: ["domain"], hasCreationTime: false },
  domains: { key: OWNED_KEY, omitted: ["locked_until"], hasCreationTime: true },
  api_keys: { key: ["id"], hasCreationTime: true },
  credentials: { key: ["id"], hasCreationTime: false },
  passkeys: { key: ["id"], hasCreationTime: false },
  shares: { key: OWNED_KEY, hasCreationTime: true },
  totp_factors: { key: ["account_id"], hasCreationTime: false },
  utm_templates: { key: ["account_id", "id"], hasCreationTime: false },
  link_notes: { key: ["account_id", "mode", "link_id", "id"], hasCreationTime: false },
  saved_views: { key: ["account_id", "name"], hasCreationTime: false },
  qr_counts: { key: ["account_id"], hasCreationTime: false },
  social_image_counts: { key: ["account_id"], hasCreationTime: false },
  // Accounts with a stream that is or recently was open: restored only in the feeds' objects (backup-pages.ts).
  feeds: { key: ["account_id", "mode"], hasCreationTime: false, where: "until > 0", pageRows: 32 },
  hostname_releases: { key: ["id"], omitted: ["due_at", "tries"], hasCreationTime: false },
  // Excludes the account with which setup tests a deployment: each installation has its own.
  accounts: { key: ["id"], hasCreationTime: true, where: `email <> '${SETUP_CHECK_EMAIL}'` },
  // Erasure restarts from the first link: the link rows are older than the progress.
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
