-- Lists the codes of a link. Codes are few and never change, so the index is written once for each.
CREATE INDEX qr_codes_by_link ON qr_codes (account_id, mode, link_id);
