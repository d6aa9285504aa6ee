-- Copies of small facts of accounts (account_states, feeds, domains) in the databases that have links besides DB
-- (store/accounts/home-copies.ts). Without such databases no row is written here.
CREATE TABLE account_copies (
  account_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL, -- grows with every change of what is copied; in other databases than DB: of the copy
  due_at INTEGER -- epoch ms, UTC; in DB: when the copies are made again; null while all have this version
) STRICT, WITHOUT ROWID;

CREATE INDEX account_copies_due ON account_copies (due_at) WHERE due_at IS NOT NULL;

-- How far the comparison of all copies has come (store/accounts/copy-checks.ts).
CREATE TABLE copy_checks (
  setting TEXT PRIMARY KEY, -- LINK_DATABASES
  position TEXT NOT NULL, -- JSON: the table, and the key of its last row that was compared
  started_at INTEGER NOT NULL, -- epoch ms, UTC: of the first comparison under this setting
  finished_at INTEGER, -- epoch ms, UTC: of the last one
  due_at INTEGER NOT NULL -- epoch ms, UTC: of the next page
) STRICT, WITHOUT ROWID;

-- While a domain is locked no database takes links on it (store/domains/domain-locks.ts).
ALTER TABLE domains ADD COLUMN locked_until INTEGER; -- epoch ms, UTC; identifies the request that has locked it
