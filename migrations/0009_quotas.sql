-- What an account has, counted in the transaction that makes it, so that no quota needs a scan. Rows go with the account.

-- Lies with the links.
CREATE TABLE link_counts (
  account_id TEXT PRIMARY KEY,
  links INTEGER NOT NULL, -- that are not deleted, of both modes
  made INTEGER NOT NULL -- ever: a deleted link keeps its row and its slug
) STRICT, WITHOUT ROWID;

INSERT INTO link_counts (account_id, links, made)
SELECT account_id, count(*) FILTER (WHERE deleted_at IS NULL), count(*) FROM links GROUP BY account_id;

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

INSERT INTO qr_counts (account_id, codes, bytes) SELECT account_id, count(*), 0 FROM qr_codes GROUP BY account_id;

-- Answers keep only what the request that is sent again does not say itself.
DROP TABLE idempotency;

CREATE TABLE idempotency (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  key_hash BLOB NOT NULL, -- SHA-256 of Idempotency-Key
  request_hash BLOB NOT NULL, -- SHA-256 of method, path and body
  answer TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL, -- epoch ms, UTC; void after 24 hours
  PRIMARY KEY (account_id, mode, key_hash)
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
