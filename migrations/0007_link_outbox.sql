-- The outbox of links: what a link's object has not confirmed, a change or that it is to erase all it has. Written by
-- the trigger below, so in the transaction of every change, whoever makes it; removed when the object has done its part
-- (store/links/outbox.ts).
CREATE TABLE link_outbox (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  link_id TEXT NOT NULL,
  revision INTEGER NOT NULL, -- the newest; the change itself stands in links
  due_at INTEGER NOT NULL, -- epoch ms, UTC: not tried before; 0 for at once
  tries INTEGER NOT NULL DEFAULT 0, -- that failed
  PRIMARY KEY (account_id, mode, link_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER links_changed AFTER UPDATE OF revision ON links WHEN NEW.revision > OLD.revision
BEGIN
  INSERT INTO link_outbox (account_id, mode, link_id, revision, due_at)
  VALUES (NEW.account_id, NEW.mode, NEW.id, NEW.revision, coalesce(NEW.erase_at, 0))
  ON CONFLICT DO UPDATE SET revision = excluded.revision, due_at = excluded.due_at, tries = 0;
END;
