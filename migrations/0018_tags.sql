-- The tags of an account with the number of their links, so that a list of tags reads no links.

ALTER TABLE link_counts ADD COLUMN tag_changes INTEGER NOT NULL DEFAULT 0; -- grows with every change of a link's tags

CREATE TABLE tags (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  tag TEXT NOT NULL, -- its key
  name TEXT NOT NULL, -- as it was typed last
  links INTEGER NOT NULL, -- that have it; the row goes with the last one
  PRIMARY KEY (account_id, mode, tag)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER tags_added AFTER INSERT ON links WHEN NEW.tags IS NOT NULL
BEGIN
  INSERT INTO tags (account_id, mode, tag, name, links)
  SELECT NEW.account_id, NEW.mode, value ->> 0, value ->> 1, 1 FROM json_each(NEW.tags)
  WHERE true ON CONFLICT DO UPDATE SET name = excluded.name, links = links + 1;
  INSERT INTO link_counts (account_id, links, made, tag_changes) VALUES (NEW.account_id, 0, 0, 1)
  ON CONFLICT DO UPDATE SET tag_changes = tag_changes + 1;
END;

CREATE TRIGGER tags_changed AFTER UPDATE OF tags ON links WHEN NEW.tags IS NOT OLD.tags
BEGIN
  DELETE FROM tags WHERE account_id = OLD.account_id AND mode = OLD.mode AND links = 1
    AND tag IN (SELECT value ->> 0 FROM json_each(OLD.tags))
    AND tag NOT IN (SELECT value ->> 0 FROM json_each(NEW.tags));
  UPDATE tags SET links = links - 1 WHERE account_id = OLD.account_id AND mode = OLD.mode
    AND tag IN (SELECT value ->> 0 FROM json_each(OLD.tags))
    AND tag NOT IN (SELECT value ->> 0 FROM json_each(NEW.tags));
  INSERT INTO tags (account_id, mode, tag, name, links)
  SELECT NEW.account_id, NEW.mode, value ->> 0, value ->> 1,
    value ->> 0 NOT IN (SELECT value ->> 0 FROM json_each(OLD.tags))
  FROM json_each(NEW.tags) WHERE value NOT IN (SELECT value FROM json_each(OLD.tags))
  ON CONFLICT DO UPDATE SET name = excluded.name, links = links + excluded.links;
  UPDATE link_counts SET tag_changes = tag_changes + 1 WHERE account_id = NEW.account_id;
END;

INSERT INTO tags (account_id, mode, tag, name, links)
SELECT l.account_id, l.mode, own.value ->> 0, min(own.value ->> 1), count(*)
FROM links l, json_each(l.tags) own WHERE l.tags IS NOT NULL GROUP BY l.account_id, l.mode, own.value ->> 0;
