-- Sign-in. An account is also better-auth's user: one row, so that plan and e-mail address are written once.
-- better-auth writes its times as text, except those of accounts (src/store/auth/sign-in.ts).

ALTER TABLE accounts ADD COLUMN name TEXT NOT NULL DEFAULT ''; -- what the holder is called, may be empty
ALTER TABLE accounts ADD COLUMN image TEXT; -- picture at GitHub or Google, never shown
ALTER TABLE accounts ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0; -- 1 where GitHub or Google vouched for it
ALTER TABLE accounts ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0; -- epoch ms, UTC

-- The holder's list of keys.
CREATE INDEX api_keys_by_account ON api_keys (account_id);

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
