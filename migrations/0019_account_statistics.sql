-- Statistics of all links of an account and mode: who takes part, and links with clicks that are to be read.

ALTER TABLE feeds ADD COLUMN stats_since INTEGER NOT NULL DEFAULT 0; -- epoch ms, UTC: links announce clicks from here on
ALTER TABLE feeds ADD COLUMN stats_until INTEGER NOT NULL DEFAULT 0; -- epoch ms, UTC: statistics were asked for, 31 days before

CREATE TABLE stats_news (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  link_id TEXT NOT NULL,
  PRIMARY KEY (account_id, mode, link_id)
) STRICT, WITHOUT ROWID;
