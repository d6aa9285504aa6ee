-- Members that a link has only when they are set. A tombstone has none of them.
ALTER TABLE links ADD COLUMN title TEXT;
ALTER TABLE links ADD COLUMN tags TEXT; -- JSON array of [key, tag]: keys are compared, tags are shown as they were typed
ALTER TABLE links ADD COLUMN starts_at INTEGER CHECK (starts_at < expires_at); -- epoch ms, UTC
ALTER TABLE links ADD COLUMN fallback_url TEXT;
ALTER TABLE links ADD COLUMN forward_query INTEGER; -- 1 or null

-- The links of each tag, in the order of creation. Triggers write it in the transaction of every change, whichever
-- statement makes it; a link without tags costs no row.
CREATE TABLE link_tags (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  tag TEXT NOT NULL, -- its key
  link_id TEXT NOT NULL,
  PRIMARY KEY (account_id, mode, tag, link_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER links_tagged AFTER INSERT ON links WHEN NEW.tags IS NOT NULL
BEGIN
  INSERT INTO link_tags (account_id, mode, tag, link_id)
  SELECT NEW.account_id, NEW.mode, value ->> 0, NEW.id FROM json_each(NEW.tags);
END;

CREATE TRIGGER links_retagged AFTER UPDATE OF tags ON links WHEN NEW.tags IS NOT OLD.tags
BEGIN
  DELETE FROM link_tags WHERE account_id = OLD.account_id AND mode = OLD.mode AND link_id = OLD.id
    AND tag IN (SELECT value ->> 0 FROM json_each(OLD.tags))
    AND tag NOT IN (SELECT value ->> 0 FROM json_each(NEW.tags));
  INSERT INTO link_tags (account_id, mode, tag, link_id)
  SELECT NEW.account_id, NEW.mode, value ->> 0, NEW.id FROM json_each(NEW.tags) WHERE true ON CONFLICT DO NOTHING;
END;
