-- QR codes. Each link gets a secret that its codes' tokens are made with (src/core/qr/token.ts).

ALTER TABLE links ADD COLUMN qr_key TEXT NOT NULL DEFAULT '';

-- A new revision, so that no older copy of a link, which lacks the secret, is taken for current.
UPDATE links SET qr_key = lower(hex(randomblob(16))), revision = revision + 1;

-- Rows are never removed: a code's image stays when its link is deleted, and so does its descriptor.
CREATE TABLE qr_codes (
  account_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('live', 'test')),
  id TEXT NOT NULL, -- qr_...
  link_id TEXT NOT NULL,
  format TEXT NOT NULL CHECK (format IN ('png', 'svg')),
  size INTEGER NOT NULL, -- pixels
  fg TEXT NOT NULL, -- as #1A2B3C
  bg TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- epoch ms, UTC
  PRIMARY KEY (account_id, mode, id)
) STRICT, WITHOUT ROWID;
