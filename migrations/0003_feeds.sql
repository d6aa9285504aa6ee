-- Which accounts somebody listens to: the live stream of all links of an account and mode.

CREATE TABLE feeds (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  since INTEGER NOT NULL, -- epoch ms, UTC: clicks from here on are announced
  until INTEGER NOT NULL, -- epoch ms, UTC: void afterwards
  PRIMARY KEY (account_id, mode)
) STRICT, WITHOUT ROWID;
