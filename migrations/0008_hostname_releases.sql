-- Custom hostnames at Cloudflare whose domains were given up, until Cloudflare has deleted them
-- (store/domains/hostname-releases.ts). Written by the trigger below, so in the transaction that removes the domain.
CREATE TABLE hostname_releases (
  id TEXT PRIMARY KEY, -- of the hostname at Cloudflare
  domain TEXT NOT NULL,
  due_at INTEGER NOT NULL DEFAULT 0, -- epoch ms, UTC: not tried again before
  tries INTEGER NOT NULL DEFAULT 0 -- that failed
) STRICT, WITHOUT ROWID;

CREATE TRIGGER domains_given_up AFTER DELETE ON domains WHEN OLD.custom_hostname_id IS NOT NULL
BEGIN
  INSERT INTO hostname_releases (id, domain) VALUES (OLD.custom_hostname_id, OLD.domain) ON CONFLICT DO NOTHING;
END;
