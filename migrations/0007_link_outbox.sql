-- The outbox of links: changes that a link's object has not confirmed. Written by the trigger below, so in the
-- transaction of every change, whoever makes it; removed when the object has taken the revision (store/outbox.ts).
CREATE TABLE link_outbox (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  link_id TEXT NOT NULL,
  revision INTEGER NOT NULL, -- the newest; the change itself stands in links
  due_at INTEGER NOT NULL DEFAULT 0, -- epoch ms, UTC: not tried again before
  tries INTEGER NOT NULL DEFAULT 0, -- that failed
  PRIMARY KEY (account_id, mode, link_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER links_changed AFTER UPDATE OF revision ON links WHEN NEW.revision > OLD.revision
BEGIN
  INSERT INTO link_outbox (account_id, mode, link_id, revision)
  VALUES (NEW.account_id, NEW.mode, NEW.id, NEW.revision)
  ON CONFLICT DO UPDATE SET revision = excluded.revision, due_at = 0, tries = 0;
END;
