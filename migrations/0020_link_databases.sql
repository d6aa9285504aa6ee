-- Links over several databases, each of which has all tables.

-- The buckets that this database has given away (store/links/bucket-moves.ts): their links are read here until they are
-- copied, and never written again.
CREATE TABLE moved_buckets (
  bucket TEXT PRIMARY KEY -- two characters, with which the ids of its links end
) STRICT, WITHOUT ROWID;

-- Lets a transaction fail that begins with an update of the buckets that it takes for open.
CREATE TRIGGER buckets_closed BEFORE UPDATE ON moved_buckets
BEGIN
  SELECT RAISE(ABORT, 'bucket has moved');
END;

CREATE TRIGGER links_not_inserted BEFORE INSERT ON links
WHEN EXISTS (SELECT 1 FROM moved_buckets WHERE bucket = substr(NEW.id, -2))
BEGIN
  SELECT RAISE(ABORT, 'bucket has moved');
END;

CREATE TRIGGER links_not_updated BEFORE UPDATE ON links
WHEN EXISTS (SELECT 1 FROM moved_buckets WHERE bucket = substr(OLD.id, -2))
BEGIN
  SELECT RAISE(ABORT, 'bucket has moved');
END;

-- What a request with an Idempotency-Key has done in this database, where its links are in several: written in the
-- transaction of the links, so that a retry does what is missing, and nothing twice.
CREATE TABLE request_shares (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  key_hash BLOB NOT NULL, -- SHA-256 of Idempotency-Key
  request_hash BLOB NOT NULL, -- SHA-256 of method, path and canonical body
  outcomes TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL, -- epoch ms, UTC; expires after 24 hours
  PRIMARY KEY (account_id, mode, key_hash)
) STRICT, WITHOUT ROWID;
