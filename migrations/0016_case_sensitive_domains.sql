-- Slugs of a case-sensitive domain are matched exactly. The Worker before this migration makes links that are matched in
-- any case, which every release finds.
ALTER TABLE domains ADD COLUMN case_sensitive INTEGER NOT NULL DEFAULT 0;

-- How an account's links on a domain are matched, from the first one on. The row outlives the domain, which may be added
-- again. Links that were taken over do not count: they are matched as before.
CREATE TABLE slug_cases (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  domain TEXT NOT NULL,
  case_sensitive INTEGER NOT NULL,
  PRIMARY KEY (account_id, mode, domain)
) STRICT, WITHOUT ROWID;

INSERT INTO slug_cases (account_id, mode, domain, case_sensitive)
SELECT DISTINCT account_id, mode, domain, 0 FROM links WHERE on_custom_domain = 1 AND predecessor_id IS NULL;

CREATE TRIGGER links_on_domain AFTER INSERT ON links WHEN NEW.on_custom_domain = 1 AND NEW.predecessor_id IS NULL
BEGIN
  INSERT INTO slug_cases (account_id, mode, domain, case_sensitive)
  VALUES (NEW.account_id, NEW.mode, NEW.domain, NEW.slug >= '~') ON CONFLICT DO NOTHING;
END;
