/** Rows of the table `links`, and what the code makes of them. */
import type { Mode } from "../../core/credentials.ts";
import type { LinkSnapshot, LinkOrigin } from "../../core/links/link-snapshot.ts";
import type { RoutingRule } from "../../core/links/routing.ts";

export interface LinkRecord extends LinkSnapshot {
  createdAt: number;
  updatedAt: number;
}

export interface LinkRow {
  account_id: string;
  mode: Mode;
  id: string;
  origin: LinkOrigin;
  domain: string;
  slug: string;
  url: string;
  routing: string;
  expires_at: number | null;
  created_at: number;
  updated_at: number;
  revision: number;
  disabled_at: number | null;
  deleted_at: number | null;
  erase_at: number | null;
  predecessor_id: string | null;
  successor_id: string | null;
  qr_key: string;
}

export function linkRecordOf(row: LinkRow): LinkRecord {
  return { ...snapshotOf(row), createdAt: row.created_at, updatedAt: row.updated_at };
}

export function snapshotOf(row: LinkRow): LinkSnapshot {
  return {
    id: row.id,
    accountId: row.account_id,
    mode: row.mode,
    origin: row.origin,
    domain: row.domain,
    slug: row.slug,
    url: row.url,
    routing: JSON.parse(row.routing) as RoutingRule[],
    expiresAt: row.expires_at,
    revision: row.revision,
    state: row.deleted_at !== null ? "deleted" : row.disabled_at !== null ? "disabled" : "active",
    qrKey: row.qr_key,
    ...(row.predecessor_id === null ? {} : { predecessorId: row.predecessor_id }),
    ...(row.successor_id === null ? {} : { successorId: row.successor_id }),
  };
}
