-- Links in bulk requests of an account, so that their limits are exact. One row for each account that makes any.

CREATE TABLE bulk_counts (
  account_id TEXT PRIMARY KEY,
  minute INTEGER NOT NULL, -- minutes since 1970-01-01, UTC: of the last request that was counted
  minute_links INTEGER NOT NULL, -- in that minute
  day_links INTEGER NOT NULL -- on the UTC day of that minute
) STRICT, WITHOUT ROWID;
