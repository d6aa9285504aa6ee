-- The history of links: what a link was before each of its changes.

ALTER TABLE links ADD COLUMN changed_at INTEGER; -- epoch ms, UTC: since when it has its content; null: not known
ALTER TABLE links ADD COLUMN changed_by TEXT; -- key:<id>, dashboard, operator or domain_holder; null: not known

ALTER TABLE link_counts ADD COLUMN revision_bytes INTEGER NOT NULL DEFAULT 0; -- of the rows in link_revisions

CREATE TABLE link_revisions (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  link_id TEXT NOT NULL,
  revision INTEGER NOT NULL, -- the last one with this content
  url TEXT NOT NULL,
  routing TEXT NOT NULL,
  expires_at INTEGER, -- epoch ms, UTC
  title TEXT,
  tags TEXT,
  starts_at INTEGER, -- epoch ms, UTC
  fallback_url TEXT,
  forward_query INTEGER,
  disabled_at INTEGER, -- epoch ms, UTC
  changed_at INTEGER NOT NULL, -- epoch ms, UTC: since when the link had this content
  changed_by TEXT,
  number INTEGER NOT NULL, -- counts the rows ever written for the link; 1 is what it was created with
  bytes INTEGER NOT NULL, -- of this row
  bytes_before INTEGER NOT NULL, -- of all rows ever written for the link before this one
  PRIMARY KEY (account_id, mode, link_id, revision)
) STRICT, WITHOUT ROWID;

-- The release before does not set changed_at: the last statement says that nobody is known to have made its changes.
CREATE TRIGGER links_revised AFTER UPDATE OF revision ON links
WHEN NEW.deleted_at IS NULL AND OLD.deleted_at IS NULL
  AND (NEW.url, NEW.routing, NEW.expires_at, NEW.title, NEW.tags, NEW.starts_at, NEW.fallback_url, NEW.forward_query, NEW.disabled_at)
    IS NOT (OLD.url, OLD.routing, OLD.expires_at, OLD.title, OLD.tags, OLD.starts_at, OLD.fallback_url, OLD.forward_query, OLD.disabled_at)
BEGIN
  INSERT INTO link_revisions (account_id, mode, link_id, revision, url, routing, expires_at, title, tags, starts_at,
    fallback_url, forward_query, disabled_at, changed_at, changed_by, number, bytes, bytes_before)
  SELECT OLD.account_id, OLD.mode, OLD.id, OLD.revision, OLD.url, OLD.routing, OLD.expires_at, OLD.title, OLD.tags,
    OLD.starts_at, OLD.fallback_url, OLD.forward_query, OLD.disabled_at, coalesce(OLD.changed_at, OLD.updated_at),
    OLD.changed_by, coalesce(latest.number + 1, iif(OLD.changed_at IS NULL AND OLD.revision > 1, 2, 1)),
    200 + length(CAST(OLD.url AS BLOB)) + length(CAST(OLD.routing AS BLOB))
      + coalesce(length(CAST(OLD.title AS BLOB)), 0) + coalesce(length(CAST(OLD.tags AS BLOB)), 0)
      + coalesce(length(CAST(OLD.fallback_url AS BLOB)), 0),
    coalesce(latest.bytes_before + latest.bytes, 0)
  FROM (SELECT 1) LEFT JOIN (
    SELECT number, bytes, bytes_before FROM link_revisions
    WHERE account_id = OLD.account_id AND mode = OLD.mode AND link_id = OLD.id ORDER BY revision DESC LIMIT 1
  ) AS latest
  WHERE true ON CONFLICT DO NOTHING;
  UPDATE links SET changed_at = NEW.updated_at, changed_by = NULL
  WHERE account_id = NEW.account_id AND mode = NEW.mode AND id = NEW.id AND NEW.changed_at IS OLD.changed_at;
END;

-- Bounds the history of a link (1,000 rows, 2 MB) and of an account (20 MB and 1 KB for each link) by what is oldest of
-- this link. The row that was just written always stays.
CREATE TRIGGER link_revisions_added AFTER INSERT ON link_revisions
BEGIN
  UPDATE link_counts SET revision_bytes = revision_bytes + NEW.bytes WHERE account_id = NEW.account_id;
  DELETE FROM link_revisions
  WHERE account_id = NEW.account_id AND mode = NEW.mode AND link_id = NEW.link_id AND revision < (
    SELECT r.revision FROM link_revisions r
    WHERE r.account_id = NEW.account_id AND r.mode = NEW.mode AND r.link_id = NEW.link_id AND (
      r.revision >= NEW.revision OR (
        r.number > NEW.number - 1000 AND r.bytes_before >= NEW.bytes_before + NEW.bytes - 2000000
        AND r.bytes_before >= coalesce((
          SELECT oldest.bytes_before + c.revision_bytes - 20000000 - 1000 * c.links
          FROM link_counts c, link_revisions oldest
          WHERE c.account_id = NEW.account_id AND oldest.account_id = NEW.account_id AND oldest.mode = NEW.mode
            AND oldest.link_id = NEW.link_id
          ORDER BY oldest.revision LIMIT 1
        ), 0)
      )
    )
    ORDER BY r.revision LIMIT 1
  );
END;

CREATE TRIGGER link_revisions_dropped AFTER DELETE ON link_revisions
BEGIN
  UPDATE link_counts SET revision_bytes = revision_bytes - OLD.bytes WHERE account_id = OLD.account_id;
END;

CREATE TRIGGER links_history_erased AFTER UPDATE OF deleted_at ON links
WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
BEGIN
  DELETE FROM link_revisions WHERE account_id = NEW.account_id AND mode = NEW.mode AND link_id = NEW.id;
END;
