-- Custom short domains. A name may be pending for many accounts, and verified for one: the last index sees to that.

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
