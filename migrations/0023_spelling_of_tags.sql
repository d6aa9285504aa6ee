-- Which spelling of a tag is the last, where its links are in several databases, or are moved from one to another.

ALTER TABLE tags ADD COLUMN typed_at INTEGER NOT NULL DEFAULT 0; -- epoch ms, UTC: when its name was typed

DROP TRIGGER tags_added;
DROP TRIGGER tags_changed;

CREATE TRIGGER tags_added AFTER INSERT ON links WHEN NEW.tags IS NOT NULL
BEGIN
  INSERT INTO tags (account_id, mode, tag, name, links, typed_at)
  SELECT NEW.account_id, NEW.mode, value ->> 0, value ->> 1, 1, NEW.updated_at FROM json_each(NEW.tags)
  WHERE true ON CONFLICT DO UPDATE SET name = iif(excluded.typed_at >= typed_at, excluded.name, name),
    typed_at = max(typed_at, excluded.typed_at), links = links + 1;
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
  INSERT INTO tags (account_id, mode, tag, name, links, typed_at)
  SELECT NEW.account_id, NEW.mode, value ->> 0, value ->> 1,
    value ->> 0 NOT IN (SELECT value ->> 0 FROM json_each(OLD.tags)), NEW.updated_at
  FROM json_each(NEW.tags) WHERE value NOT IN (SELECT value FROM json_each(OLD.tags))
  ON CONFLICT DO UPDATE SET name = iif(excluded.typed_at >= typed_at, excluded.name, name),
    typed_at = max(typed_at, excluded.typed_at), links = links + excluded.links;
  UPDATE link_counts SET tag_changes = tag_changes + 1 WHERE account_id = NEW.account_id;
END;
