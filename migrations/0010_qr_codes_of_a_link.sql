-- How many codes a link has. Its statistics keep 5,000 apart (src/clicks/summaries.ts): scans of more could not be told.
CREATE TABLE link_qr_counts (
  account_id TEXT NOT NULL,
  link_id TEXT NOT NULL,
  codes INTEGER NOT NULL,
  PRIMARY KEY (account_id, link_id)
) STRICT, WITHOUT ROWID;

INSERT INTO link_qr_counts (account_id, link_id, codes)
SELECT account_id, link_id, count(*) FROM qr_codes GROUP BY account_id, link_id;
