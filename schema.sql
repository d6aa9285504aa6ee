-- The database as the migrations leave it: a snapshot to read. A test compares the two.
-- Every index costs a billed row for each write, so primary keys are made to serve the look-ups.

-- An account is also better-auth's user.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY, -- acc_...
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  plan TEXT NOT NULL CHECK (plan IN ('free', 'premium')),
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  name TEXT NOT NULL DEFAULT '', -- what the holder is called, may be empty
  image TEXT, -- picture at GitHub or Google, never shown
  email_verified INTEGER NOT NULL DEFAULT 0, -- 1 where GitHub or Google vouched for it
  updated_at INTEGER NOT NULL DEFAULT 0 -- epoch ms, UTC
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

CREATE INDEX api_keys_by_account ON api_keys (account_id);

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
  qr_key TEXT NOT NULL DEFAULT '', -- 32 hex digits, secret: what the tokens of its QR codes are made with
  on_custom_domain INTEGER NOT NULL DEFAULT 0, -- 1 where the domain was not the instance's own when the link was made
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;

-- Who looks for an address says that it has no successor, or this index does not serve.
CREATE UNIQUE INDEX links_by_address ON links (domain, slug) WHERE successor_id IS NULL;

-- To give a domain up must not read its tombstones. Links on the instance's own domains do not pay for this index.
CREATE INDEX links_on_custom_domains ON links (account_id, mode, domain) WHERE on_custom_domain = 1 AND deleted_at IS NULL;

-- Answers keep only what the request that is sent again does not say itself.
CREATE TABLE idempotency (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  key_hash BLOB NOT NULL, -- SHA-256 of Idempotency-Key
  request_hash BLOB NOT NULL, -- SHA-256 of method, path and body
  answer TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL, -- epoch ms, UTC; void after 24 hours
  PRIMARY KEY (account_id, mode, key_hash)
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

-- A name may be pending for many accounts, and verified for one: the last index sees to that.
CREATE TABLE domains (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL, -- dom_...
  domain TEXT NOT NULL, -- A-labels in lower case, without port or final dot
  token TEXT NOT NULL, -- what the TXT record must say
  status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'misconfigured')),
  findings TEXT NOT NULL, -- JSON object: status and reason of each record at the last check
  root_url TEXT,
  not_found_url TEXT,
  custom_hostname_id TEXT, -- at Cloudflare
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  verified_at INTEGER, -- epoch ms, UTC; from then on the name is this account's alone
  check_started_at INTEGER, -- epoch ms, UTC
  checked_at INTEGER, -- epoch ms, UTC; when the findings were made
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX domains_by_owner ON domains (account_id, mode, domain);

CREATE UNIQUE INDEX domains_verified ON domains (domain) WHERE verified_at IS NOT NULL;

-- Sign-in: better-auth's tables. It writes its times as text.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE, -- secret; the cookie holds it with a signature
  expires_at TEXT NOT NULL, -- ISO 8601, UTC
  user_agent TEXT, -- to tell one's own sessions apart
  ip_address TEXT, -- always empty: no address is stored
  created_at TEXT NOT NULL, -- ISO 8601, UTC
  updated_at TEXT NOT NULL -- ISO 8601, UTC
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (account_id);

-- Ways to sign in: a password, an identity at GitHub or Google.
CREATE TABLE credentials (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  provider TEXT NOT NULL, -- credential (a password), github, google
  provider_account_id TEXT NOT NULL, -- the account's own id where it is a password
  password TEXT, -- salt:hash, scrypt
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  access_token_expires_at TEXT, -- ISO 8601, UTC
  refresh_token_expires_at TEXT, -- ISO 8601, UTC
  scope TEXT,
  created_at TEXT NOT NULL, -- ISO 8601, UTC
  updated_at TEXT NOT NULL -- ISO 8601, UTC
) STRICT, WITHOUT ROWID;

CREATE INDEX credentials_by_account ON credentials (account_id);
CREATE UNIQUE INDEX credentials_by_provider ON credentials (provider, provider_account_id);

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  name TEXT,
  public_key TEXT NOT NULL,
  credential_id TEXT NOT NULL UNIQUE,
  counter INTEGER NOT NULL,
  device_type TEXT NOT NULL,
  backed_up INTEGER NOT NULL,
  transports TEXT,
  aaguid TEXT,
  created_at TEXT -- ISO 8601, UTC
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_by_account ON passkeys (account_id);

-- Challenges of passkeys and states of sign-ins at GitHub and Google, used once.
CREATE TABLE challenges (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at TEXT NOT NULL, -- ISO 8601, UTC
  created_at TEXT NOT NULL, -- ISO 8601, UTC
  updated_at TEXT NOT NULL -- ISO 8601, UTC
) STRICT, WITHOUT ROWID;

CREATE INDEX challenges_by_identifier ON challenges (identifier);

-- How often an address has tried to sign in: counted here, because every isolate must see it.
CREATE TABLE attempts (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL UNIQUE, -- IP address and path; removed when its window is over
  count INTEGER NOT NULL,
  last_request INTEGER NOT NULL -- epoch ms, UTC
) STRICT, WITHOUT ROWID;

-- Accounts that were closed and are still to be erased (store/accounts/closed-accounts.ts): a queue, and how far each has got.
CREATE TABLE closed_accounts (
  id TEXT PRIMARY KEY, -- acc_...
  closed_at INTEGER NOT NULL, -- epoch ms, UTC
  stage TEXT NOT NULL DEFAULT 'links' CHECK (stage IN ('links', 'rest')),
  after_mode TEXT NOT NULL DEFAULT '', -- with after_link: the last link that was erased
  after_link TEXT NOT NULL DEFAULT '',
  due_at INTEGER NOT NULL, -- epoch ms, UTC: when it was served last, or is not served before
  tries INTEGER NOT NULL DEFAULT 0 -- that failed since something was done
) STRICT, WITHOUT ROWID;

-- What a redirect must know of an account beside its links. No row: the account is open.
CREATE TABLE account_states (
  account_id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('closed', 'suspended')),
  since INTEGER NOT NULL -- epoch ms, UTC
) STRICT, WITHOUT ROWID;

-- The outbox of links: what a link's object has not confirmed, a change or that it is to erase all it has. Written by
-- the trigger below, so in the transaction of every change, whoever makes it; removed when the object has done its part
-- (store/links/outbox.ts).
CREATE TABLE link_outbox (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  link_id TEXT NOT NULL,
  revision INTEGER NOT NULL, -- the newest; the change itself stands in links
  due_at INTEGER NOT NULL, -- epoch ms, UTC: not tried before; 0 for at once
  tries INTEGER NOT NULL DEFAULT 0, -- that failed
  PRIMARY KEY (account_id, mode, link_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER links_changed AFTER UPDATE OF revision ON links WHEN NEW.revision > OLD.revision
BEGIN
  INSERT INTO link_outbox (account_id, mode, link_id, revision, due_at)
  VALUES (NEW.account_id, NEW.mode, NEW.id, NEW.revision, coalesce(NEW.erase_at, 0))
  ON CONFLICT DO UPDATE SET revision = excluded.revision, due_at = excluded.due_at, tries = 0;
END;

-- Custom hostnames at Cloudflare whose domains were given up, until Cloudflare has deleted them
-- (store/domains/hostname-releases.ts). Written by the trigger below, so in the transaction that removes the domain.
CREATE TABLE hostname_releases (
  id TEXT PRIMARY KEY, -- of the hostname at Cloudflare
  domain TEXT NOT NULL,
  due_at INTEGER NOT NULL DEFAULT 0, -- epoch ms, UTC: not tried again before
  tries INTEGER NOT NULL DEFAULT 0 -- that failed
) STRICT, WITHOUT ROWID;

CREATE TRIGGER domains_given_up AFTER DELETE ON domains WHEN OLD.custom_hostname_id IS NOT NULL
BEGIN
  INSERT INTO hostname_releases (id, domain) VALUES (OLD.custom_hostname_id, OLD.domain) ON CONFLICT DO NOTHING;
END;

-- What an account has, counted in the transaction that makes it, so that no quota needs a scan. Rows go with the account.

-- Lies with the links.
CREATE TABLE link_counts (
  account_id TEXT PRIMARY KEY,
  links INTEGER NOT NULL, -- that are not deleted, of both modes
  made INTEGER NOT NULL -- ever: a deleted link keeps its row and its slug
) STRICT, WITHOUT ROWID;

-- Creations are counted by the statement that refuses one too many (store/accounts/quotas.ts); deletions here, whoever makes them.
CREATE TRIGGER links_deleted AFTER UPDATE OF deleted_at ON links
WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
BEGIN
  UPDATE link_counts SET links = links - 1 WHERE account_id = NEW.account_id;
END;

CREATE TABLE qr_counts (
  account_id TEXT PRIMARY KEY,
  codes INTEGER NOT NULL, -- of both modes
  bytes INTEGER NOT NULL -- of their images
) STRICT, WITHOUT ROWID;

-- How many codes a link has. Its statistics keep 5,000 apart (src/clicks/summaries.ts): scans of more could not be told.
CREATE TABLE link_qr_counts (
  account_id TEXT NOT NULL,
  link_id TEXT NOT NULL,
  codes INTEGER NOT NULL,
  PRIMARY KEY (account_id, link_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_counts (
  account_id TEXT PRIMARY KEY,
  counted_on INTEGER NOT NULL, -- days since 1970-01-01, UTC
  bytes INTEGER NOT NULL -- of the answers kept on that day
) STRICT, WITHOUT ROWID;

-- The newest sessions stay: who signs in without end ends the oldest.
CREATE TRIGGER sessions_bounded AFTER INSERT ON sessions
BEGIN
  DELETE FROM sessions WHERE account_id = NEW.account_id AND id <> NEW.id AND id NOT IN
    (SELECT id FROM sessions WHERE account_id = NEW.account_id ORDER BY created_at DESC, id LIMIT 50);
END;

CREATE TRIGGER passkeys_bounded BEFORE INSERT ON passkeys
WHEN (SELECT count(*) FROM passkeys WHERE account_id = NEW.account_id) >= 25
BEGIN
  SELECT RAISE(ABORT, 'too many passkeys');
END;
