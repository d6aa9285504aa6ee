-- The restore of a backup into this installation, and how far it has come.
CREATE TABLE restores (
  backup_id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL, -- epoch ms, UTC
  finished_at INTEGER, -- epoch ms, UTC; null while it is under way
  steps INTEGER NOT NULL DEFAULT 0 -- parts of the backup that are restored
) STRICT, WITHOUT ROWID;
