-- Live links on custom domains have an index by account and domain: to give a domain up must not read its tombstones.
-- Links on the instance's own domains are not in it, so their writes cost no row more.
ALTER TABLE links ADD COLUMN on_custom_domain INTEGER NOT NULL DEFAULT 0;

UPDATE links SET on_custom_domain = 1 WHERE domain IN (SELECT domain FROM domains);

CREATE INDEX links_on_custom_domains ON links (account_id, mode, domain) WHERE on_custom_domain = 1 AND deleted_at IS NULL;
