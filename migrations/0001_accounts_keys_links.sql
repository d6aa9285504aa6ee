-- Accounts, API keys, links, and the answers kept for Idempotency-Key.
-- Every index costs a billed row for each write, so primary keys are made to serve the look-ups.

CREATE TABLE accounts (
  id TEXT PRIMARY KEY, -- acc_...
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  plan TEXT NOT NULL CHECK (plan IN ('free', 'premium')),
  created_at INTEGER NOT NULL -- epoch ms, UTC
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY, -- the eight characters after svc_live_ or svc_test_
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  name TEXT NOT NULL,
  secret_hash BLOB NOT NULL, -- SHA-256 of the secret's 32 characters
  last_four TEXT NOT NULL, -- of the secret, to tell keys apart
  scopes TEXT NOT NULL, -- JSON array
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  last_used_on INTEGER, -- days since 1970-01-01, UTC
  revoked_at INTEGER -- epoch ms, UTC
) STRICT, WITHOUT ROWID;

-- An id begins with its creation time, so the primary key also lists links by created_at.
-- Rows are never removed: a deleted link is a tombstone, which keeps its slug from being issued again. Of what the account
-- wrote it has the address alone: url, expires_at, disabled_at and qr_key are empty, and routing is '[]'.
CREATE TABLE links (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL, -- lnk_...
  origin TEXT NOT NULL CHECK (origin IN ('api', 'dashboard')),
  domain TEXT NOT NULL, -- lower case, with a port only in development
  slug TEXT NOT NULL COLLATE NOCASE, -- as typed, matched without regard to case
  url TEXT NOT NULL,
  routing TEXT NOT NULL, -- JSON array of rules
  expires_at INTEGER, -- epoch ms, UTC
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  updated_at INTEGER NOT NULL, -- epoch ms, UTC
  revision INTEGER NOT NULL, -- grows by one with every change
  disabled_at INTEGER, -- epoch ms, UTC
  deleted_at INTEGER, -- epoch ms, UTC
  erase_at INTEGER, -- epoch ms, UTC: from then on its object erases the clicks; null when they are kept
  predecessor_id TEXT, -- the link of another account whose address this one took over
  successor_id TEXT, -- the link that took this one's address over
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;

-- Who looks for an address says that it has no successor, or this index does not serve.
CREATE UNIQUE INDEX links_by_address ON links (domain, slug) WHERE successor_id IS NULL;

CREATE TABLE idempotency (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  key TEXT NOT NULL, -- as sent in Idempotency-Key
  request_hash BLOB NOT NULL, -- SHA-256 of method, path and body
  answer TEXT NOT NULL, -- JSON: status, headers, body
  created_at INTEGER NOT NULL, -- epoch ms, UTC; void after 24 hours
  PRIMARY KEY (account_id, mode, key)
) STRICT, WITHOUT ROWID;
