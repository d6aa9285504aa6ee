-- The database as the migrations leave it: a snapshot to read. A test compares the two.
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
-- Rows are never removed: a deleted link keeps its slug from being issued again.
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
  qr_key TEXT NOT NULL DEFAULT '', -- 32 hex digits, secret: what the tokens of its QR codes are made with
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX links_by_address ON links (domain, slug);

CREATE TABLE idempotency (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  key TEXT NOT NULL, -- as sent in Idempotency-Key
  request_hash BLOB NOT NULL, -- SHA-256 of method, path and body
  answer TEXT NOT NULL, -- JSON: status, headers, body
  created_at INTEGER NOT NULL, -- epoch ms, UTC; void after 24 hours
  PRIMARY KEY (account_id, mode, key)
) STRICT, WITHOUT ROWID;

-- Rows are never removed: a code's image stays when its link is deleted, and so does its descriptor.
CREATE TABLE qr_codes (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL, -- qr_...
  link_id TEXT NOT NULL,
  format TEXT NOT NULL CHECK (format IN ('png', 'svg')),
  size INTEGER NOT NULL, -- pixels
  fg TEXT NOT NULL, -- as #1A2B3C
  bg TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;

-- Which accounts somebody listens to: the live stream of all links of an account and mode.
CREATE TABLE feeds (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  since INTEGER NOT NULL, -- epoch ms, UTC: clicks from here on are announced
  until INTEGER NOT NULL, -- epoch ms, UTC: void afterwards
  PRIMARY KEY (account_id, mode)
) STRICT, WITHOUT ROWID;
