-- Links whose clicks are erased: the next question about all links of their account leaves them out.

CREATE TRIGGER stats_erased AFTER UPDATE OF erase_at ON links
WHEN NEW.erase_at IS NOT NULL AND OLD.erase_at IS NULL AND NEW.revision > OLD.revision
BEGIN
  INSERT INTO stats_news (account_id, mode, link_id)
  SELECT account_id, mode, NEW.id FROM feeds
  WHERE account_id = NEW.account_id AND mode = NEW.mode AND stats_until > 0
  ON CONFLICT DO NOTHING;
END;
