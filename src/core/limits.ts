/**
 * Limits of requests and accounts. Schemas enforce them; errors, prose and the dashboard quote them. Plain numbers,
 * because the dashboard and the table of errors must not load zod.
 */
export const URL_MAX_CHARS = 8_192;
/** Length of a destination as a header value. */
export const ENCODED_URL_MAX_BYTES = 8_192;
/**
 * Node's client refuses headers of more than 16 KiB in total. If a visitor's query would exceed this, it is not
 * forwarded.
 */
export const LOCATION_MAX_BYTES = 12 * 1024;
/** Counted in code points. */
export const SLUG_MAX_CHARS = 128;
/** Percent-encoded: with it, a short URL fits into a QR code of every error correction. */
export const SLUG_MAX_BYTES = 900;
export const SLUG_SEGMENTS_MAX = 16;
/** Counted in code points. */
export const TITLE_MAX_CHARS = 200;
/** Title of a link preview. Counted in code points, as is the description. */
export const SOCIAL_TITLE_MAX_CHARS = 200;
export const SOCIAL_DESCRIPTION_MAX_CHARS = 500;
export const TAG_MAX_CHARS = 50;
export const TAGS_MAX = 20;
/** Counted in code points. */
export const LINK_PASSWORD_MIN_CHARS = 6;
export const LINK_PASSWORD_MAX_CHARS = 128;
export const RULES_MAX = 100;
export const ROUTING_MAX_BYTES = 64 * 1024;
export const BODY_MAX_BYTES = 256 * 1024;
export const BULK_LINKS_MAX = 100;
export const PAGE_LINKS_MAX = 100;
export const PAGE_TAGS_MAX = 100;
export const PAGE_DOMAINS_MAX = 100;
/** Each code on a page is one call to its link's object, which counts its scans. */
export const PAGE_QR_CODES_MAX = 100;
export const PAGE_CLICKS_MAX = 1_000;
export const IDEMPOTENCY_KEY_MAX_CHARS = 255;
/** Values of one filter of statistics, and total characters of all filters. */
export const FILTER_VALUES_MAX = 100;
export const FILTERS_MAX_CHARS = 16_384;
/** Clicks in a range that are counted one by one: in statistics with filters or unique visitors, and in backtests. */
export const SCAN_CLICKS_MAX = 10_000_000;
/** Imported clicks of a link, those of one request, and imports of a link. */
export const IMPORTED_CLICKS_MAX = 1_000_000;
export const IMPORT_REQUEST_CLICKS_MAX = 1_000;
export const IMPORTS_OF_LINK_MAX = 100;
/** Links that an undo counts as remaining, at most. */
export const IMPORT_REMAINING_MAX = 1_000;
/** Part of an import's request that counts like a link of a bulk request. */
export const IMPORT_CLICKS_PER_BULK_LINK = 100;
export const IMPORT_BYTES_PER_BULK_LINK = 8 * 1024;
/** Default range of a backtest. */
export const BACKTEST_DAYS = 30;

/** How long the response to a request with an `Idempotency-Key` is stored. */
export const IDEMPOTENCY_TTL_HOURS = 24;

export const PASSWORD_MIN_CHARS = 10;
export const PASSWORD_MAX_CHARS = 128;
/** Name of an account's holder. */
export const NAME_MAX_CHARS = 100;

/** Tokens for creating the first account: one-time ones, and the one that the deployer has chosen. */
export const SETUP_TOKEN_MAX_CHARS = 100;
export const FIRST_ACCOUNT_TOKEN_MIN_CHARS = 16;

/** Domains of an account per mode, by plan. */
export const DOMAINS_MAX = { free: 10, premium: 100 } as const;
/** Files of a domain that apps read, and those of all domains of an account. A trigger of `domains` uses the same number. */
export const WELL_KNOWN_FILE_MAX_BYTES = 128 * 1024;
export const WELL_KNOWN_MAX_BYTES = 1024 * 1024;
/** Body of a request that may contain two such files. */
export const DOMAIN_BODY_MAX_BYTES = 512 * 1024;
/** Texts and logo of the pages that a domain's visitors see. */
export const PAGE_NAME_MAX_CHARS = 60;
export const PAGE_TEXT_MAX_CHARS = 300;
export const PAGE_LOGO_MAX_BYTES = 16 * 1024;
/** Domains that an account may ever have held, as a multiple: the last holder of each is stored permanently. */
export const DOMAINS_HELD_FACTOR = 10;

/** Open streams of one key, by plan. */
export const STREAMS_MAX = { free: 5, premium: 20 } as const;

/**
 * Requests of one key per minute, by plan, and those among them that create QR codes. The rate limit bindings in
 * `wrangler.toml` have the same numbers.
 */
export const REQUESTS_MAX_PER_MINUTE = { free: 120, premium: 1_200 } as const;
export const QR_REQUESTS_MAX_PER_MINUTE = { free: 30, premium: 300 } as const;

/** Links of one account in bulk requests, by plan, as counted by `bulkCost`. Days are UTC days. */
export const BULK_LINKS_MAX_PER_MINUTE = { free: 1_000, premium: 10_000 } as const;
export const BULK_LINKS_MAX_PER_DAY = { free: 10_000, premium: 1_000_000 } as const;
/** Number of changed tags that count as one more link. */
export const TAGS_PER_BULK_LINK = 10;
/** Aliases of a link, and those that it may ever have had: removed ones hold their addresses permanently. */
export const LINK_ALIASES_MAX = 20;
export const LINK_ALIASES_EVER_MAX = 100;
/** Keeps a creation within what the Free plan has in a minute: above it, a request is refused forever. */
export const BULK_ALIASES_MAX = 500;
/** Bounds the CPU time of a bulk request: hashing a password takes as long as all else. */
export const BULK_PASSWORDS_MAX = 10;
/** Number of links that a new password counts as. */
export const BULK_LINKS_PER_PASSWORD = 10;

/** Per-account limits on requests, QR codes and streams are this multiple of the per-key limits. */
export const ACCOUNT_LIMIT_FACTOR = 5;

/** Keys of an account per mode that are not revoked. */
export const KEYS_MAX = 25;

/** UTM templates of an account, and the sizes of one. The bytes are of its percent-encoded query. */
export const UTM_TEMPLATES_MAX = 50;
export const UTM_TEMPLATE_NAME_MAX_CHARS = 100;
export const UTM_VALUE_MAX_CHARS = 200;
export const UTM_QUERY_MAX_BYTES = 2_048;

/** Notes about a link, and about all links of an account in a mode. */
export const LINK_NOTES_MAX = 50;
export const ACCOUNT_NOTES_MAX = 1_000;
export const LINK_NOTE_MAX_CHARS = 200;

/** Shared pages of an account, and the sizes of one. */
export const SHARES_MAX = 100;
export const SHARE_NAME_MAX_CHARS = 100;
export const SHARE_GROUPINGS_MAX = 6;

/** Saved views of an account's links, and the size of one. */
export const SAVED_VIEWS_MAX = 50;
export const SAVED_VIEW_NAME_MAX_CHARS = 60;
export const SAVED_VIEW_MAX_BYTES = 4_096;

/** Links of an account that are not deleted, by plan. */
export const LINKS_MAX = { free: 10_000, premium: 1_000_000 } as const;

/** Links that an account may ever create, as a multiple of `LINKS_MAX`: deleted links hold their slugs permanently. */
export const LINKS_CREATED_FACTOR = 10;

/** Earlier revisions stored per link: the oldest are dropped. The triggers of `link_revisions` use the same numbers. */
export const LINK_REVISIONS_MAX = 1_000;
/** @internal */
export const LINK_REVISIONS_MAX_BYTES = 2_000_000;
/**
 * For all links of an account, plus a number of bytes per link. Each link always keeps its last change.
 * @internal
 */
export const ACCOUNT_REVISIONS_MAX_BYTES = 20_000_000;
/** @internal */
export const ACCOUNT_REVISIONS_BYTES_PER_LINK = 1_000;
export const PAGE_REVISIONS_MAX = 100;

/** QR codes of an account and the total bytes of their images, by plan. Codes are never deleted. */
export const QR_CODES_MAX = { free: 10_000, premium: 1_000_000 } as const;
/** QR codes per link: as many as its statistics keep separate keys for, so that `scans` is exact for each. */
export const LINK_QR_CODES_MAX = 5_000;
export const QR_BYTES_MAX = { free: 1_000_000_000, premium: 100_000_000_000 } as const;

/** Uploaded images of link previews: one image, and all images of an account, by plan. */
export const SOCIAL_IMAGE_MAX_BYTES = 2 * 1024 ** 2;
export const SOCIAL_IMAGE_SIDE_MAX_PX = 4_096;
export const SOCIAL_IMAGES_MAX_BYTES = { free: 100 * 1024 ** 2, premium: 5 * 1024 ** 3 } as const;

/** Bytes of stored `Idempotency-Key` responses of an account per UTC day, by plan. */
export const STORED_RESPONSES_MAX_BYTES = { free: 10_000_000, premium: 200_000_000 } as const;

/** A number as prose writes it: `10,000`. */
export function figure(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

export const SERIES_BINS_MAX = 2_000;

export const QR_NAME_MAX_CHARS = 80;
export const QR_SIZE_MIN_PX = 64;
export const QR_SIZE_MAX_PX = 4_096;
export const QR_SIZE_DEFAULT_PX = 512;
/** The quiet zone that scanners need around a code; the default margin. */
export const QUIET_ZONE_MODULES = 4;
export const QR_MARGIN_MAX_MODULES = 16;
export const LOGO_MAX_BYTES = 64 * 1024;
