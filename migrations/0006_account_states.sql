-- What a redirect must know of an account beside its links. No row: the account is open.
CREATE TABLE account_states (
  account_id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('closed', 'suspended')),
  since INTEGER NOT NULL -- epoch ms, UTC
) STRICT, WITHOUT ROWID;
