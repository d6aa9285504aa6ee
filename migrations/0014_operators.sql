-- Operators: who may look into the deployment, the tokens that prove it, and what its health check writes.
ALTER TABLE accounts ADD COLUMN is_operator INTEGER NOT NULL DEFAULT 0; -- 1: may read the deployment's health

CREATE TABLE operator_tokens (
  token_hash BLOB PRIMARY KEY, -- SHA-256 of the token
  purpose TEXT NOT NULL CHECK (purpose IN ('setup', 'operator', 'backup')),
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  expires_at INTEGER NOT NULL -- epoch ms, UTC
) STRICT, WITHOUT ROWID;

CREATE TABLE health_checks (
  name TEXT PRIMARY KEY,
  checked_at INTEGER NOT NULL -- epoch ms, UTC
) STRICT, WITHOUT ROWID;
