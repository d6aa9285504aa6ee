-- The tables after all migrations; a test compares the two. Every index adds a billed row to each write, so primary
-- keys are chosen to serve the look-ups.

-- An account is also better-auth's user.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY, -- acc_...
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  plan TEXT NOT NULL CHECK (plan IN ('free', 'premium')),
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  name TEXT NOT NULL DEFAULT '', -- the holder's name; may be empty
  image TEXT, -- picture from GitHub or Google; never shown
  email_verified INTEGER NOT NULL DEFAULT 0, -- 1 when GitHub or Google verified it
  updated_at INTEGER NOT NULL DEFAULT 0, -- epoch ms, UTC
  is_operator INTEGER NOT NULL DEFAULT 0 -- 1: may read the deployment's health
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY, -- the eight characters after svc_live_ or svc_test_
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  name TEXT NOT NULL,
  secret_hash BLOB NOT NULL, -- SHA-256 of the secret's 32 characters
  last_four TEXT NOT NULL, -- last characters of the secret, shown in lists of keys
  scopes TEXT NOT NULL, -- JSON array
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  last_used_on INTEGER, -- days since 1970-01-01, UTC
  exposed_at INTEGER, -- epoch ms, UTC: when it was first sent over plain HTTP
  revoked_at INTEGER -- epoch ms, UTC
) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_by_account ON api_keys (account_id);

-- An id begins with its creation time, so the primary key also lists links by created_at. Rows are never removed: a
-- deleted link is a tombstone, which keeps its slug from being issued again. A tombstone has none of the account's
-- content except its addresses: url and qr_key are empty, routing is '[]', and nullable columns are null.
CREATE TABLE links (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL, -- lnk_...
  origin TEXT NOT NULL CHECK (origin IN ('api', 'dashboard')),
  domain TEXT NOT NULL, -- lower case, with a port only in development
  slug TEXT NOT NULL COLLATE NOCASE, -- matched in any case: as typed if ASCII, else folded; on case-sensitive domains `~ab!^ab` (core/hosts.ts)
  url TEXT NOT NULL,
  routing TEXT NOT NULL, -- JSON array of rules
  expires_at INTEGER, -- epoch ms, UTC
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  updated_at INTEGER NOT NULL, -- epoch ms, UTC
  revision INTEGER NOT NULL, -- increases by one with every change
  disabled_at INTEGER, -- epoch ms, UTC; 0: not disabled, but restricted (trigger links_restricted)
  deleted_at INTEGER, -- epoch ms, UTC
  erase_at INTEGER, -- epoch ms, UTC: when its object may erase the clicks; null when they are kept
  tenure INTEGER NOT NULL DEFAULT 0, -- tenure of the domain's holder who created it (table domain_holders)
  object_name TEXT, -- name of its object if a former holder of the domain had a link at the address; null: the address
  qr_key TEXT NOT NULL DEFAULT '', -- 32 hex digits, secret: key of the checksums in its QR codes' tokens
  on_custom_domain INTEGER NOT NULL DEFAULT 0, -- 1 when created on a custom domain
  title TEXT,
  tags TEXT, -- JSON array of [key, tag]: keys are compared (core/links/case-folding.ts), tags are shown as typed
  starts_at INTEGER CHECK (starts_at < expires_at), -- epoch ms, UTC
  fallback_url TEXT,
  forward_query INTEGER, -- 1 or null
  forward_path INTEGER, -- 1 or null
  noindex INTEGER, -- 1 or null
  redirect_status INTEGER, -- 301, 307 or 308; null: 302
  paused INTEGER, -- 1 or null
  archived INTEGER, -- 1 or null
  password TEXT, -- salt, rounds and keyed hash (core/links/link-password.ts); never part of the history
  social TEXT, -- JSON object with title, description and image, or null
  clicks_before TEXT, -- JSON object: clicks, until and source, as Link shows them, and import; written only by an import
  aliases TEXT, -- JSON array of [domain, slug, tenure, typed slug or null], as in link_aliases
  retired_aliases TEXT, -- JSON array of the removed ones, which lead to no other link; written by a trigger
  changed_at INTEGER, -- epoch ms, UTC: when it got its content
  changed_by TEXT, -- key:<id>, dashboard, operator or domain_holder
  typed_slug TEXT, -- as typed, if it is not ASCII
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;

-- A link of an earlier tenure has ended, and its address is free for the domain's current holder.
CREATE UNIQUE INDEX links_by_address ON links (domain, slug, tenure);

-- Live links on a domain, of one account or all, without reading tombstones. Links on the default domains do not pay
-- for this index.
CREATE INDEX links_on_custom_domains ON links (domain, account_id, mode) WHERE on_custom_domain = 1 AND deleted_at IS NULL;

-- A restricted link is not disabled, but does not redirect everyone. A release that does not know the restriction must not
-- redirect anyone, and reads every disabled_at other than null as disabled: a restricted link has 0. This release reads
-- null and 0 as not disabled. A restriction that is added after it needs another number.
CREATE TRIGGER links_created_restricted AFTER INSERT ON links
WHEN NEW.disabled_at IS NULL AND coalesce(NEW.paused, NEW.password) IS NOT NULL
BEGIN
  UPDATE links SET disabled_at = 0 WHERE account_id = NEW.account_id AND mode = NEW.mode AND id = NEW.id;
END;

CREATE TRIGGER links_restricted AFTER UPDATE OF disabled_at, paused, password ON links
WHEN coalesce(NEW.disabled_at, 0) = 0 AND (NEW.disabled_at IS NULL) = (coalesce(NEW.paused, NEW.password) IS NOT NULL)
BEGIN
  UPDATE links SET disabled_at = iif(NEW.disabled_at IS NULL, 0, NULL)
  WHERE account_id = NEW.account_id AND mode = NEW.mode AND id = NEW.id;
END;

-- Protected links by the key of their password's record, to count those that the deployment's secret cannot verify. Links
-- without a password do not pay for this index.
CREATE INDEX links_by_password_key ON links (substr(password, 3, 8)) WHERE password IS NOT NULL;

-- Links by the ids of uploaded images in their previews. Links without a preview do not pay for this index.
CREATE INDEX links_by_image ON links (account_id, mode, substr(social ->> 'image', instr(social ->> 'image', '/img_') + 1, 30))
WHERE social IS NOT NULL;

-- Queue of images that a link has stopped using (store/social-images.ts): the row is written in the transaction of the
-- change, or before an upload. Images that another link uses stay. Stored in the links' database, or
-- by a restore in the home database.
CREATE TABLE image_releases (
  due_at INTEGER NOT NULL, -- epoch ms, UTC: not processed earlier
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  image TEXT NOT NULL, -- img_...
  PRIMARY KEY (due_at, account_id, mode, image)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER links_image_released AFTER UPDATE OF social ON links
WHEN instr(OLD.social, '/img_') > 0 AND OLD.social ->> 'image' IS NOT NEW.social ->> 'image'
BEGIN
  INSERT INTO image_releases (due_at, account_id, mode, image)
  SELECT NEW.updated_at + 43200000, OLD.account_id, OLD.mode, substr(image, instr(image, '/img_') + 1, 30)
  FROM (SELECT OLD.social ->> 'image' AS image) WHERE instr(image, '/img_') > 0 ON CONFLICT DO NOTHING;
END;

-- The links of each tag, in creation order, so that a list by tags scans no others. Triggers write it in the
-- transaction of every change, regardless of the statement; a link without tags costs no row.
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

-- The tags of an account with their link counts, so that a list of tags reads no links. Triggers write it like
-- `link_tags`.
CREATE TABLE tags (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  tag TEXT NOT NULL, -- its key
  name TEXT NOT NULL, -- as last typed
  links INTEGER NOT NULL, -- links that have it; the row is deleted with the last one
  typed_at INTEGER NOT NULL DEFAULT 0, -- epoch ms, UTC: when its name was typed
  PRIMARY KEY (account_id, mode, tag)
) STRICT, WITHOUT ROWID;

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

-- Aliases: each address of a link besides its own, in the database of that address. It names the link, which may be in
-- another database. Only the link says whether the alias leads to it: an address that the link does not list is retired
-- if the link lists it there, and otherwise reserved by a request that may have been interrupted. Rows of aliases are
-- never removed, except reservations (store/links/link-aliases.ts).
CREATE TABLE link_aliases (
  domain TEXT NOT NULL,
  slug TEXT NOT NULL COLLATE NOCASE, -- as in links
  tenure INTEGER NOT NULL, -- tenure of the domain's holder when it was reserved
  bucket TEXT NOT NULL, -- two characters: the bucket of its address
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  link_id TEXT NOT NULL,
  reserved_at INTEGER NOT NULL, -- epoch ms, UTC; increases with every reservation
  PRIMARY KEY (domain, slug, tenure)
) STRICT, WITHOUT ROWID;

-- Moves of buckets, which would otherwise scan all aliases for each piece.
CREATE INDEX link_aliases_by_bucket ON link_aliases (bucket);

-- An address has one link, by its slug or by an alias.
CREATE TRIGGER links_not_at_aliases BEFORE INSERT ON links
WHEN EXISTS (SELECT 1 FROM link_aliases a WHERE a.domain = NEW.domain AND a.slug = NEW.slug AND a.tenure = NEW.tenure)
BEGIN
  SELECT RAISE(ABORT, 'address is taken');
END;

CREATE TRIGGER aliases_not_at_links BEFORE INSERT ON link_aliases
WHEN EXISTS (SELECT 1 FROM links l WHERE l.domain = NEW.domain AND l.slug = NEW.slug AND l.tenure = NEW.tenure)
  OR EXISTS (SELECT 1 FROM link_aliases a WHERE a.domain = NEW.domain AND a.slug = NEW.slug AND a.tenure = NEW.tenure
    AND a.link_id <> NEW.link_id)
BEGIN
  SELECT RAISE(ABORT, 'address is taken');
END;

-- The domains of a link's aliases, in the link's database. Triggers write it in the transaction of every change.
CREATE TABLE alias_domains (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  domain TEXT NOT NULL,
  link_id TEXT NOT NULL,
  PRIMARY KEY (account_id, mode, domain, link_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER links_aliased AFTER INSERT ON links WHEN NEW.aliases IS NOT NULL
BEGIN
  INSERT INTO alias_domains (account_id, mode, domain, link_id)
  SELECT NEW.account_id, NEW.mode, value ->> 0, NEW.id FROM json_each(NEW.aliases) WHERE true ON CONFLICT DO NOTHING;
END;

-- Also retires the removed aliases and counts them. The statement that enforces the quota counts new ones.
CREATE TRIGGER links_realiased AFTER UPDATE OF aliases ON links WHEN NEW.aliases IS NOT OLD.aliases
BEGIN
  DELETE FROM alias_domains WHERE account_id = OLD.account_id AND mode = OLD.mode AND link_id = OLD.id
    AND domain IN (SELECT value ->> 0 FROM json_each(OLD.aliases));
  INSERT INTO alias_domains (account_id, mode, domain, link_id)
  SELECT NEW.account_id, NEW.mode, value ->> 0, NEW.id FROM json_each(NEW.aliases) WHERE true ON CONFLICT DO NOTHING;
  UPDATE link_counts SET links = links - (
    SELECT count(*) FROM json_each(OLD.aliases) former WHERE NOT EXISTS (
      SELECT 1 FROM json_each(NEW.aliases) kept WHERE kept.value ->> 0 = former.value ->> 0
        AND lower(kept.value ->> 1) = lower(former.value ->> 1) AND kept.value ->> 2 = former.value ->> 2))
  WHERE account_id = NEW.account_id;
  UPDATE links SET retired_aliases = (
    SELECT nullif(json_group_array(json(former.value)), '[]') FROM (
      SELECT value FROM json_each(OLD.retired_aliases) UNION ALL SELECT value FROM json_each(OLD.aliases)) AS former
    WHERE NOT EXISTS (
      SELECT 1 FROM json_each(NEW.aliases) kept WHERE kept.value ->> 0 = former.value ->> 0
        AND lower(kept.value ->> 1) = lower(former.value ->> 1) AND kept.value ->> 2 = former.value ->> 2))
  WHERE account_id = NEW.account_id AND mode = NEW.mode AND id = NEW.id;
END;

-- The history of links: the state before each change of the content or of disabled_at. Triggers write it in the
-- transaction of the change, regardless of the statement; a link that never changes costs no row. Changes of only
-- `revision` have no entry.
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
  forward_path INTEGER,
  noindex INTEGER,
  redirect_status INTEGER,
  paused INTEGER,
  archived INTEGER,
  social TEXT,
  aliases TEXT,
  disabled_at INTEGER, -- epoch ms, UTC, or 0 as in links
  changed_at INTEGER NOT NULL, -- epoch ms, UTC: when the link got this content
  changed_by TEXT,
  number INTEGER NOT NULL, -- counts the rows ever written for the link; 1 is the content at its creation
  bytes INTEGER NOT NULL, -- of this row
  bytes_before INTEGER NOT NULL, -- of all rows ever written for the link before this one
  PRIMARY KEY (account_id, mode, link_id, revision)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER links_revised AFTER UPDATE OF revision ON links
WHEN NEW.deleted_at IS NULL AND OLD.deleted_at IS NULL
  AND (NEW.url, NEW.routing, NEW.expires_at, NEW.title, NEW.tags, NEW.starts_at, NEW.fallback_url, NEW.forward_query, NEW.forward_path, NEW.noindex, NEW.redirect_status, NEW.paused, NEW.archived, NEW.social, NEW.aliases, NEW.disabled_at)
    IS NOT (OLD.url, OLD.routing, OLD.expires_at, OLD.title, OLD.tags, OLD.starts_at, OLD.fallback_url, OLD.forward_query, OLD.forward_path, OLD.noindex, OLD.redirect_status, OLD.paused, OLD.archived, OLD.social, OLD.aliases, OLD.disabled_at)
BEGIN
  INSERT INTO link_revisions (account_id, mode, link_id, revision, url, routing, expires_at, title, tags, starts_at,
    fallback_url, forward_query, forward_path, noindex, redirect_status, paused, archived, social, aliases, disabled_at, changed_at, changed_by, number, bytes, bytes_before)
  SELECT OLD.account_id, OLD.mode, OLD.id, OLD.revision, OLD.url, OLD.routing, OLD.expires_at, OLD.title, OLD.tags,
    OLD.starts_at, OLD.fallback_url, OLD.forward_query, OLD.forward_path, OLD.noindex, OLD.redirect_status, OLD.paused, OLD.archived, OLD.social, OLD.aliases, OLD.disabled_at, coalesce(OLD.changed_at, OLD.updated_at),
    OLD.changed_by, coalesce(latest.number + 1, 1),
    200 + length(CAST(OLD.url AS BLOB)) + length(CAST(OLD.routing AS BLOB))
      + coalesce(length(CAST(OLD.title AS BLOB)), 0) + coalesce(length(CAST(OLD.tags AS BLOB)), 0)
      + coalesce(length(CAST(OLD.fallback_url AS BLOB)), 0) + coalesce(length(CAST(OLD.social AS BLOB)), 0)
      + coalesce(length(CAST(OLD.aliases AS BLOB)), 0),
    coalesce(latest.bytes_before + latest.bytes, 0)
  FROM (SELECT 1) LEFT JOIN (
    SELECT number, bytes, bytes_before FROM link_revisions
    WHERE account_id = OLD.account_id AND mode = OLD.mode AND link_id = OLD.id ORDER BY revision DESC LIMIT 1
  ) AS latest
  WHERE true ON CONFLICT DO NOTHING;
END;

-- Limits the history of a link (1,000 rows, 2 MB) and of an account (20 MB and 1 KB for each link) by deleting this
-- link's oldest rows (src/core/limits.ts). The row that was just written always stays. While a backup is being
-- restored, no links are counted yet, so the account's limit deletes nothing.
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
          WHERE c.account_id = NEW.account_id AND c.links > 0 AND oldest.account_id = NEW.account_id AND oldest.mode = NEW.mode
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

-- A stored response contains only what cannot be derived from the repeated request.
CREATE TABLE idempotency (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  key_hash BLOB NOT NULL, -- HMAC of Idempotency-Key
  request_hash BLOB NOT NULL, -- keyed digest of method, path and canonical body (core/derived-keys.ts)
  answer TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL, -- epoch ms, UTC; expires after 24 hours
  PRIMARY KEY (account_id, mode, key_hash)
) STRICT, WITHOUT ROWID;

-- Rows are never removed: a code's descriptor and its image outlive its link.
CREATE TABLE qr_codes (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL, -- qr_...
  link_id TEXT NOT NULL,
  format TEXT NOT NULL CHECK (format IN ('png', 'svg')),
  size INTEGER NOT NULL, -- pixels
  fg TEXT NOT NULL, -- such as #1A2B3C
  bg TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  name TEXT,
  archived INTEGER, -- 1 or null
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;

-- Lists the codes of a link. Codes are few and its columns never change, so the index is written once per code.
CREATE INDEX qr_codes_by_link ON qr_codes (account_id, mode, link_id);

-- Accounts with requested statistics, or with a live stream (all links of an account and mode) that has a subscriber or
-- had one within about a day. Redirects read this row with a link.
CREATE TABLE feeds (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  since INTEGER NOT NULL, -- epoch ms, UTC: clicks since then are announced
  until INTEGER NOT NULL, -- epoch ms, UTC: expiry
  stats_since INTEGER NOT NULL DEFAULT 0, -- epoch ms, UTC: clicks since then go to the account's object; 0: never
  stats_until INTEGER NOT NULL DEFAULT 0, -- epoch ms, UTC: 31 days after the last renewal; 0: never
  PRIMARY KEY (account_id, mode)
) STRICT, WITHOUT ROWID;

-- News for the account's object, deleted after its next question has delivered it. A link has clicks, since the object
-- did not answer when they were to be announced; or it was erased, and its clicks must be excluded.
CREATE TABLE stats_news (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  link_id TEXT NOT NULL,
  PRIMARY KEY (account_id, mode, link_id)
) STRICT, WITHOUT ROWID;

-- Writes nothing if the account is closed, which erases all its clicks, or never requested statistics.
CREATE TRIGGER stats_erased AFTER UPDATE OF erase_at ON links
WHEN NEW.erase_at IS NOT NULL AND OLD.erase_at IS NULL AND NEW.revision > OLD.revision
BEGIN
  INSERT INTO stats_news (account_id, mode, link_id)
  SELECT account_id, mode, NEW.id FROM feeds
  WHERE account_id = NEW.account_id AND mode = NEW.mode AND stats_until > 0
  ON CONFLICT DO NOTHING;
END;

-- A name may be pending for many accounts but verified for only one: the last index enforces this.
CREATE TABLE domains (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL, -- dom_...
  domain TEXT NOT NULL, -- A-labels in lower case, without port or final dot
  token TEXT NOT NULL, -- the required value of the TXT record
  status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'misconfigured')),
  findings TEXT NOT NULL, -- JSON object: status and reason of each record at the last check
  root_url TEXT,
  not_found_url TEXT,
  expired_url TEXT,
  custom_hostname_id TEXT, -- at Cloudflare
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  verified_at INTEGER, -- epoch ms, UTC; set while this account alone holds the name
  check_started_at INTEGER, -- epoch ms, UTC
  checked_at INTEGER, -- epoch ms, UTC; time of the findings
  case_sensitive INTEGER NOT NULL DEFAULT 0, -- 1: new slugs are matched exactly
  peek INTEGER NOT NULL DEFAULT 1, -- 0: a + after a slug does not show where the link leads
  locked_until INTEGER, -- epoch ms, UTC; while set, no link is created on the domain (store/directory/domain-changes.ts)
  well_known TEXT, -- JSON object: files for apps, by name; near the end, because it is large and rarely read
  page TEXT, -- JSON object: name, logo and texts of the pages that visitors see
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;

-- Limits these files to 1 MiB for each account, of both modes (src/core/limits.ts).
CREATE TRIGGER domains_well_known_limited AFTER UPDATE OF well_known ON domains
WHEN NEW.well_known IS NOT OLD.well_known AND 1048576 < (
  SELECT sum(length(CAST(file.value AS BLOB))) FROM domains d, json_each(d.well_known) file
  WHERE d.account_id = NEW.account_id
)
BEGIN
  SELECT RAISE(ABORT, 'too many bytes of well_known');
END;

CREATE UNIQUE INDEX domains_by_owner ON domains (account_id, mode, domain);

CREATE UNIQUE INDEX domains_verified ON domains (domain) WHERE verified_at IS NOT NULL;

-- The current or last holder of a name (store/domains/domain-holders.ts): rows outlive domains and accounts. Triggers
-- write it when a domain is verified. Copied to all databases with links. Tenures follow the clock, so that those after
-- a restore of this database exceed all that the other databases have.
CREATE TABLE domain_holders (
  domain TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  tenure INTEGER NOT NULL, -- start, epoch ms, UTC, but always above earlier ones; links of earlier tenures have ended
  ending TEXT -- JSON array, key of the last ended link that was disabled (store/links/ended-links.ts); null when all are
) STRICT, WITHOUT ROWID;

CREATE INDEX domain_holders_by_account ON domain_holders (account_id, mode, domain);
CREATE INDEX domain_holders_ending ON domain_holders (domain) WHERE ending IS NOT NULL;

CREATE TRIGGER domains_claimed AFTER UPDATE OF verified_at ON domains
WHEN OLD.verified_at IS NULL AND NEW.verified_at IS NOT NULL
BEGIN
  INSERT INTO domain_holders (domain, account_id, mode, tenure)
  VALUES (NEW.domain, NEW.account_id, NEW.mode, NEW.verified_at)
  ON CONFLICT DO UPDATE SET account_id = excluded.account_id, mode = excluded.mode,
    tenure = max(tenure + 1, excluded.tenure), ending = '["","",""]'
  WHERE account_id <> excluded.account_id OR mode <> excluded.mode;
END;

-- Used when a backup is restored.
CREATE TRIGGER domains_restored AFTER INSERT ON domains WHEN NEW.verified_at IS NOT NULL
BEGIN
  INSERT INTO domain_holders (domain, account_id, mode, tenure)
  VALUES (NEW.domain, NEW.account_id, NEW.mode, NEW.verified_at)
  ON CONFLICT DO UPDATE SET account_id = excluded.account_id, mode = excluded.mode,
    tenure = max(tenure + 1, excluded.tenure), ending = '["","",""]'
  WHERE account_id <> excluded.account_id OR mode <> excluded.mode;
END;

-- How an account's links on a domain are matched, from the first one on. The row outlives the domain, which may be
-- added again. Stored in the links' database.
CREATE TABLE slug_cases (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  domain TEXT NOT NULL,
  case_sensitive INTEGER NOT NULL,
  PRIMARY KEY (account_id, mode, domain)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER links_on_domain AFTER INSERT ON links WHEN NEW.on_custom_domain = 1
BEGIN
  INSERT INTO slug_cases (account_id, mode, domain, case_sensitive)
  VALUES (NEW.account_id, NEW.mode, NEW.domain, substr(NEW.slug, 1, 1) = '~') ON CONFLICT DO NOTHING;
END;

-- Only custom domains have tenures.
CREATE TRIGGER aliases_on_domain AFTER INSERT ON link_aliases WHEN NEW.tenure > 0
BEGIN
  INSERT INTO slug_cases (account_id, mode, domain, case_sensitive)
  VALUES (NEW.account_id, NEW.mode, NEW.domain, substr(NEW.slug, 1, 1) = '~') ON CONFLICT DO NOTHING;
END;

-- Sign-in: better-auth's tables, which store times as text.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE, -- secret; the cookie contains it, signed
  expires_at TEXT NOT NULL, -- ISO 8601, UTC
  user_agent TEXT, -- shortened; distinguishes the account's sessions
  ip_address TEXT, -- always empty: no address is stored
  created_at TEXT NOT NULL, -- ISO 8601, UTC
  updated_at TEXT NOT NULL -- ISO 8601, UTC
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (account_id);

-- Credentials: a password, or an identity at GitHub or Google.
CREATE TABLE credentials (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  provider TEXT NOT NULL, -- credential (a password), github, google
  provider_account_id TEXT NOT NULL, -- the account's id for a password
  password TEXT, -- salt:hash, scrypt
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  access_token_expires_at TEXT, -- ISO 8601, UTC
  refresh_token_expires_at TEXT, -- ISO 8601, UTC
  scope TEXT,
  created_at TEXT NOT NULL, -- ISO 8601, UTC
  updated_at TEXT NOT NULL -- ISO 8601, UTC
) STRICT, WITHOUT ROWID;

CREATE INDEX credentials_by_account ON credentials (account_id);
CREATE UNIQUE INDEX credentials_by_provider ON credentials (provider, provider_account_id);

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  name TEXT,
  public_key TEXT NOT NULL,
  credential_id TEXT NOT NULL UNIQUE,
  counter INTEGER NOT NULL,
  device_type TEXT NOT NULL,
  backed_up INTEGER NOT NULL,
  transports TEXT,
  aaguid TEXT,
  created_at TEXT -- ISO 8601, UTC
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_by_account ON passkeys (account_id);

-- Authenticator apps (TOTP), which sign-ins with the account's password require (store/auth/totp.ts).
CREATE TABLE totp_factors (
  account_id TEXT PRIMARY KEY,
  secret TEXT NOT NULL, -- hex: nonce and ciphertext (AES-GCM), under a key derived from the deployment's secret
  last_step INTEGER NOT NULL, -- time step of the last accepted code; no code of it or of an earlier step is accepted
  recovery_codes TEXT NOT NULL, -- JSON array of SHA-256 in hex; an accepted code is removed
  enabled_at INTEGER NOT NULL -- epoch ms, UTC
) STRICT, WITHOUT ROWID;

-- Sets of UTM parameters that the dashboard writes into destinations.
CREATE TABLE utm_templates (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL, -- utm_...; begins with its creation time
  name TEXT NOT NULL,
  parameters TEXT NOT NULL, -- JSON object: utm_source, utm_medium, utm_campaign, utm_term, utm_content
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- Notes of owners about points in time, shown on the chart of a link's clicks, or of all clicks.
CREATE TABLE link_notes (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  link_id TEXT NOT NULL, -- or 'all': about all links
  id TEXT NOT NULL, -- note_...; begins with its creation time
  at INTEGER NOT NULL, -- epoch ms
  text TEXT NOT NULL,
  PRIMARY KEY (account_id, mode, link_id, id)
) STRICT, WITHOUT ROWID;

-- Pages that show statistics of a link or a tag to anyone with the URL.
CREATE TABLE shares (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL, -- shr_...
  token_hash TEXT NOT NULL UNIQUE, -- SHA-256 of the token in the URL, hexadecimal
  subject TEXT NOT NULL, -- the id of a link, or 'tag:' and the key of a tag
  settings TEXT NOT NULL, -- JSON object: name, groupings, days, time zone
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  expires_at INTEGER, -- epoch ms, UTC
  counted_until INTEGER, -- epoch ms, UTC: groups have the clicks before it; the same for all rows of a subject
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;

-- Views of the list of links that a person has saved in the dashboard.
CREATE TABLE saved_views (
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  query TEXT NOT NULL, -- of the list's URL
  PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;

-- The links to which an import has sent clicks or their number. A row is written before the clicks are, and deleted
-- after they were removed, so that no clicks are without one.
CREATE TABLE imported_links (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  import_id TEXT NOT NULL, -- imp_...; chosen by the client
  link_id TEXT NOT NULL,
  clicks INTEGER NOT NULL DEFAULT 0, -- clicks of the import when the last request ended; ~clicks once an undo has begun
  PRIMARY KEY (account_id, mode, import_id, link_id)
) STRICT, WITHOUT ROWID;

-- Challenges of passkeys and states of sign-ins with GitHub and Google; each is used once.
CREATE TABLE challenges (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at TEXT NOT NULL, -- ISO 8601, UTC
  created_at TEXT NOT NULL, -- ISO 8601, UTC
  updated_at TEXT NOT NULL -- ISO 8601, UTC
) STRICT, WITHOUT ROWID;

CREATE INDEX challenges_by_identifier ON challenges (identifier);

-- Sign-in attempts per IP address, attempts to create the first account per network (operators/first-account.ts), and
-- wrong codes of authenticator apps per network and account (auth/totp.ts), in D1 because the counts must be valid across isolates.
CREATE TABLE attempts (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL UNIQUE, -- IP address and path, network, or account; deleted after its window
  count INTEGER NOT NULL,
  last_request INTEGER NOT NULL -- epoch ms, UTC
) STRICT, WITHOUT ROWID;

-- Queue of closed accounts that still have to be erased (store/accounts/closed-accounts.ts), with the progress of each.
CREATE TABLE closed_accounts (
  id TEXT PRIMARY KEY, -- acc_...
  closed_at INTEGER NOT NULL, -- epoch ms, UTC
  stage TEXT NOT NULL DEFAULT 'links' CHECK (stage IN ('links', 'rest')),
  after_mode TEXT NOT NULL DEFAULT '', -- with after_link: the last erased link
  after_link TEXT NOT NULL DEFAULT '',
  due_at INTEGER NOT NULL, -- epoch ms, UTC: not processed earlier; the earliest comes first
  tries INTEGER NOT NULL DEFAULT 0 -- failures since the last progress
) STRICT, WITHOUT ROWID;

-- The state of an account, read by redirects with a link. An account without a row is open.
CREATE TABLE account_states (
  account_id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('closed', 'suspended')),
  since INTEGER NOT NULL -- epoch ms, UTC
) STRICT, WITHOUT ROWID;

-- Transactional outbox: one row per link whose object has not confirmed a change or an erasure. The trigger below
-- writes it in the transaction of every change, regardless of the statement; it is deleted when the object has
-- confirmed (store/links/outbox.ts).
CREATE TABLE link_outbox (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  link_id TEXT NOT NULL,
  revision INTEGER NOT NULL, -- the newest; the payload is the row in links
  due_at INTEGER NOT NULL, -- epoch ms, UTC: not delivered earlier; 0: immediately
  tries INTEGER NOT NULL DEFAULT 0, -- failed deliveries
  PRIMARY KEY (account_id, mode, link_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER links_changed AFTER UPDATE OF revision ON links WHEN NEW.revision > OLD.revision
BEGIN
  INSERT INTO link_outbox (account_id, mode, link_id, revision, due_at)
  VALUES (NEW.account_id, NEW.mode, NEW.id, NEW.revision, coalesce(NEW.erase_at, 0))
  ON CONFLICT DO UPDATE SET revision = excluded.revision, due_at = excluded.due_at, tries = 0;
END;

-- Custom hostnames of removed domains, until Cloudflare has deleted them (store/remote/custom-hostnames.ts). The
-- trigger below writes the row in the transaction that removes the domain.
CREATE TABLE hostname_releases (
  id TEXT PRIMARY KEY, -- id of the hostname at Cloudflare
  domain TEXT NOT NULL,
  due_at INTEGER NOT NULL DEFAULT 0, -- epoch ms, UTC: not tried earlier
  tries INTEGER NOT NULL DEFAULT 0 -- failed calls
) STRICT, WITHOUT ROWID;

CREATE TRIGGER domains_given_up AFTER DELETE ON domains WHEN OLD.custom_hostname_id IS NOT NULL
BEGIN
  INSERT INTO hostname_releases (id, domain) VALUES (OLD.custom_hostname_id, OLD.domain) ON CONFLICT DO NOTHING;
END;

-- Usage of an account, counted in the transaction that creates the rows, so that no quota needs a scan. Rows are
-- deleted with the account.

-- Uploaded images of link previews (store/social-images.ts), and their size, which the quota limits.
CREATE TABLE social_images (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL, -- img_...
  format TEXT NOT NULL CHECK (format IN ('png', 'jpg', 'webp')),
  bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE social_image_counts (
  account_id TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL -- of the images in both modes
) STRICT, WITHOUT ROWID;

CREATE TRIGGER social_images_deleted AFTER DELETE ON social_images
BEGIN
  UPDATE social_image_counts SET bytes = bytes - OLD.bytes WHERE account_id = OLD.account_id;
END;

-- In the links' database (store/directory/databases.ts).
CREATE TABLE link_counts (
  account_id TEXT PRIMARY KEY,
  links INTEGER NOT NULL, -- not deleted, in both modes, and their aliases
  made INTEGER NOT NULL, -- ever created, aliases included: a deleted link keeps its row and its addresses
  revision_bytes INTEGER NOT NULL DEFAULT 0, -- bytes of the rows in link_revisions
  tag_changes INTEGER NOT NULL DEFAULT 0 -- increases with every change of a link's tags
) STRICT, WITHOUT ROWID;

-- The statement that enforces the quota counts creations (store/directory/link-quota.ts). This trigger counts
-- deletions, regardless of the statement.
CREATE TRIGGER links_deleted AFTER UPDATE OF deleted_at ON links
WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
BEGIN
  UPDATE link_counts SET links = links - 1 WHERE account_id = NEW.account_id;
END;

CREATE TABLE qr_counts (
  account_id TEXT PRIMARY KEY,
  codes INTEGER NOT NULL, -- in both modes
  bytes INTEGER NOT NULL -- of their images
) STRICT, WITHOUT ROWID;

-- QR codes of a link. Its statistics have room for 5,000 separate keys (src/clicks/summaries.ts); scans of further
-- codes could not be counted.
CREATE TABLE link_qr_counts (
  account_id TEXT NOT NULL,
  link_id TEXT NOT NULL,
  codes INTEGER NOT NULL,
  PRIMARY KEY (account_id, link_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_counts (
  account_id TEXT PRIMARY KEY,
  counted_on INTEGER NOT NULL, -- days since 1970-01-01, UTC
  bytes INTEGER NOT NULL -- of the responses stored on that day
) STRICT, WITHOUT ROWID;

-- Links in bulk requests, in the home database (store/accounts/quotas.ts).
CREATE TABLE bulk_counts (
  account_id TEXT PRIMARY KEY,
  minute INTEGER NOT NULL, -- minutes since 1970-01-01, UTC: of the last counted request
  minute_links INTEGER NOT NULL, -- in that minute
  day_links INTEGER NOT NULL -- on the UTC day of that minute
) STRICT, WITHOUT ROWID;

-- Limits the sessions of an account: repeated sign-ins delete the oldest.
CREATE TRIGGER sessions_bounded AFTER INSERT ON sessions
BEGIN
  DELETE FROM sessions WHERE account_id = NEW.account_id AND id <> NEW.id AND id NOT IN
    (SELECT id FROM sessions WHERE account_id = NEW.account_id ORDER BY created_at DESC, id LIMIT 50);
END;

CREATE TRIGGER passkeys_bounded BEFORE INSERT ON passkeys
WHEN (SELECT count(*) FROM passkeys WHERE account_id = NEW.account_id) >= 25
BEGIN
  SELECT RAISE(ABORT, 'too many passkeys');
END;

-- Proof of an operator without an account: one token creates the first account, another lets monitoring read the
-- deployment's health. Others are in links that the operator sends to account holders. Few; expired ones are deleted daily.
CREATE TABLE operator_tokens (
  token_hash BLOB NOT NULL, -- SHA-256 of the token
  purpose TEXT NOT NULL CHECK (purpose IN ('setup', 'operator', 'backup', 'password', 'totp')),
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  expires_at INTEGER NOT NULL, -- epoch ms, UTC
  account_id TEXT, -- the account whose password or authenticator app the token resets; null for other purposes
  PRIMARY KEY (token_hash)
) STRICT, WITHOUT ROWID;

-- The operator's link to a password or an authenticator app ends with the next change of it, however it is changed:
-- whoever finds the link later must not take the account over.
CREATE TRIGGER password_links_ended AFTER UPDATE OF password ON credentials WHEN NEW.password IS NOT OLD.password
BEGIN
  DELETE FROM operator_tokens WHERE account_id = NEW.account_id AND purpose = 'password';
END;

CREATE TRIGGER password_links_ended_by_first AFTER INSERT ON credentials WHEN NEW.password IS NOT NULL
BEGIN
  DELETE FROM operator_tokens WHERE account_id = NEW.account_id AND purpose = 'password';
END;

CREATE TRIGGER totp_links_ended AFTER DELETE ON totp_factors
BEGIN
  DELETE FROM operator_tokens WHERE account_id = OLD.account_id AND purpose = 'totp';
END;

CREATE TRIGGER totp_links_ended_by_new AFTER INSERT ON totp_factors
BEGIN
  DELETE FROM operator_tokens WHERE account_id = NEW.account_id AND purpose = 'totp';
END;

-- Writes of the health check, one row per write.
CREATE TABLE health_checks (
  name TEXT PRIMARY KEY,
  checked_at INTEGER NOT NULL -- epoch ms, UTC
) STRICT, WITHOUT ROWID;

-- The restore of a backup into this installation, and its progress.
CREATE TABLE restores (
  backup_id TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL, -- epoch ms, UTC
  finished_at INTEGER, -- epoch ms, UTC; null while in progress
  steps INTEGER NOT NULL DEFAULT 0 -- restored pages of the backup
) STRICT, WITHOUT ROWID;

-- The buckets that have moved away from this database (store/directory/bucket-moves.ts): their links are read here
-- until they are copied, and never written again.
CREATE TABLE moved_buckets (
  bucket TEXT PRIMARY KEY -- two characters, the suffix of its links' ids
) STRICT, WITHOUT ROWID;

-- Aborts a transaction that begins with an update of the buckets it assumes to be open, if one has moved.
CREATE TRIGGER buckets_closed BEFORE UPDATE ON moved_buckets
BEGIN
  SELECT RAISE(ABORT, 'bucket has moved');
END;

CREATE TRIGGER links_not_inserted BEFORE INSERT ON links
WHEN EXISTS (SELECT 1 FROM moved_buckets WHERE bucket = substr(NEW.id, -2))
BEGIN
  SELECT RAISE(ABORT, 'bucket has moved');
END;

CREATE TRIGGER links_not_updated BEFORE UPDATE ON links
WHEN EXISTS (SELECT 1 FROM moved_buckets WHERE bucket = substr(OLD.id, -2))
BEGIN
  SELECT RAISE(ABORT, 'bucket has moved');
END;

CREATE TRIGGER aliases_not_inserted BEFORE INSERT ON link_aliases
WHEN EXISTS (SELECT 1 FROM moved_buckets WHERE bucket = NEW.bucket)
BEGIN
  SELECT RAISE(ABORT, 'bucket has moved');
END;

CREATE TRIGGER aliases_not_updated BEFORE UPDATE ON link_aliases
WHEN EXISTS (SELECT 1 FROM moved_buckets WHERE bucket = OLD.bucket)
BEGIN
  SELECT RAISE(ABORT, 'bucket has moved');
END;

-- The changes of a request with an Idempotency-Key in this database, if its links are in several. Written in the
-- transaction of the links, so that a retry applies the missing changes, and none twice.
CREATE TABLE request_shares (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  key_hash BLOB NOT NULL, -- HMAC of Idempotency-Key
  request_hash BLOB NOT NULL, -- keyed digest of method, path and canonical body (core/derived-keys.ts)
  outcomes TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL, -- epoch ms, UTC; expires after 24 hours
  PRIMARY KEY (account_id, mode, key_hash)
) STRICT, WITHOUT ROWID;

-- Copies of small account facts (account_states, feeds, domains, domain_holders) in the link databases other than DB
-- (store/directory/home-copies.ts). Without such databases, no row is written here.
CREATE TABLE account_copies (
  account_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL, -- increases with every change of a copied fact; outside DB: version of the copy
  due_at INTEGER -- epoch ms, UTC; in DB: when copying is repeated; null while all have this version
) STRICT, WITHOUT ROWID;

CREATE INDEX account_copies_due ON account_copies (due_at) WHERE due_at IS NOT NULL;

-- The copied facts of an account. A row is read in DB, and inserted in the other databases, which refuse rows older
-- than their own. Each database itself stores in feeds whether statistics are requested. A domain's copy has only what
-- link creation reads, nothing that is unique, or released when the row is deleted.
CREATE VIEW account_facts (account_id, version, state, feeds, domains, holdings) AS
SELECT account_id, version,
  (SELECT json_array(state, since) FROM account_states s WHERE s.account_id = c.account_id),
  (SELECT json_group_array(json_array(mode, since, until)) FROM feeds f WHERE f.account_id = c.account_id),
  (SELECT json_group_array(json_array(mode, id, domain, case_sensitive, created_at, locked_until)) FROM domains d
   WHERE d.account_id = c.account_id AND status = 'active'),
  (SELECT json_group_array(json_array(domain, mode, tenure)) FROM domain_holders h WHERE h.account_id = c.account_id)
FROM account_copies c;

CREATE TRIGGER account_facts_copied INSTEAD OF INSERT ON account_facts
WHEN NEW.version >= coalesce((SELECT version FROM account_copies WHERE account_id = NEW.account_id), 0)
BEGIN
  INSERT INTO account_copies (account_id, version) VALUES (NEW.account_id, NEW.version)
  ON CONFLICT DO UPDATE SET version = excluded.version WHERE version < excluded.version;
  DELETE FROM account_states WHERE account_id = NEW.account_id AND json_array(state, since) IS NOT NEW.state;
  INSERT INTO account_states (account_id, state, since)
  SELECT NEW.account_id, NEW.state ->> 0, NEW.state ->> 1 WHERE NEW.state IS NOT NULL ON CONFLICT DO NOTHING;
  UPDATE feeds SET since = 0, until = 0 WHERE account_id = NEW.account_id AND until > 0
    AND mode NOT IN (SELECT value ->> 0 FROM json_each(NEW.feeds));
  INSERT INTO feeds (account_id, mode, since, until)
  SELECT NEW.account_id, value ->> 0, value ->> 1, value ->> 2 FROM json_each(NEW.feeds)
  WHERE true ON CONFLICT DO UPDATE SET since = excluded.since, until = excluded.until
  WHERE since <> excluded.since OR until <> excluded.until;
  DELETE FROM domains WHERE account_id = NEW.account_id
    AND json_array(mode, id, domain, case_sensitive, created_at, locked_until) NOT IN
      (SELECT value FROM json_each(NEW.domains));
  INSERT INTO domains (account_id, mode, id, domain, case_sensitive, created_at, locked_until, token, status, findings)
  SELECT NEW.account_id, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, '', 'active', '{}'
  FROM json_each(NEW.domains) WHERE true ON CONFLICT DO NOTHING;
  INSERT INTO domain_holders (domain, account_id, mode, tenure, ending)
  SELECT value ->> 0, NEW.account_id, value ->> 1, value ->> 2, iif(EXISTS
    (SELECT 1 FROM links WHERE domain = value ->> 0 AND tenure < value ->> 2), '["","",""]', NULL)
  FROM json_each(NEW.holdings)
  WHERE NOT EXISTS (SELECT 1 FROM domain_holders known WHERE known.domain = value ->> 0 AND known.tenure >= value ->> 2)
  ON CONFLICT DO UPDATE SET account_id = excluded.account_id, mode = excluded.mode, tenure = excluded.tenure,
    ending = excluded.ending;
END;

-- Progress of the comparison of all copies (store/directory/database-checks.ts).
CREATE TABLE copy_checks (
  setting TEXT PRIMARY KEY, -- LINK_DATABASES
  position TEXT NOT NULL, -- JSON: the table, and the key of the last row compared
  started_at INTEGER NOT NULL, -- epoch ms, UTC: start of the first comparison under this setting
  finished_at INTEGER, -- epoch ms, UTC: end of the last one
  due_at INTEGER NOT NULL -- epoch ms, UTC: when the next page is due
) STRICT, WITHOUT ROWID;
