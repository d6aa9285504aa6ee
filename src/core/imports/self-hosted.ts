/** Formats of the services that people host themselves: Kutt, Shlink, Sink, YOURLS. */
import { contentOf, countryRules, isRecord, isYes, listOf, shortAddressOf, systemRule, textOf } from "./fields.ts";
import type { ServiceFormat, Fields, Reason, SourceLink } from "./source-link.ts";

/**
 * Kutt. JSON of `GET /api/v2/links` (github.com/thedevs-network/kutt, server/utils/utils.js, `sanitize.link`), one page
 * or several, and CSV of the table `links` with the same names (server/models/link.model.js).
 */
export const kutt: ServiceFormat = {
  title: "Kutt",
  recognizes: (names) => names.has("target") && names.has("address"),
  read: readKutt,
  used: "target address link domain description expirein banned",
  lost: {
    password: "passwords",
    visitcount: "click counts",
    createdat: "creation dates",
  },
  ignored: "id uuid updatedat bannedbyid domainid userid",
};

function readKutt(fields: Fields): SourceLink[] | Reason {
  if (isYes(fields, "banned")) {
    return { reason: "The link is banned at Kutt.", advice: "Lift the ban there and export again if it should work." };
  }
  const address = shortAddressOf(textOf(fields, "link"));
  const content = contentOf({
    url: textOf(fields, "target"),
    title: textOf(fields, "description"),
    expiresAt: textOf(fields, "expirein"),
  });
  return [{ domain: textOf(fields, "domain") || address?.domain || null, slug: textOf(fields, "address"), content }];
}

/**
 * Shlink. CSV of the web client's Export (github.com/shlinkio/shlink-web-component, ExportShortUrlsBtn.tsx), the table
 * that `shlink short-url:list --all --show-tags --show-domain` prints (github.com/shlinkio/shlink,
 * ListShortUrlsCommand.php), and JSON of `GET /rest/v3/short-urls` (ShortUrl::toArray).
 */
export const shlink: ServiceFormat = {
  title: "Shlink",
  recognizes: (names) => names.has("shortcode") && names.has("longurl"),
  read: readShlink,
  used: "shortcode shorturl longurl domain title tags forwardquery validsince validuntil devicelongurls",
  lost: {
    visits: "click counts",
    visitscount: "click counts",
    visitssummary: "click counts",
    createdat: "creation dates",
    datecreated: "creation dates",
    crawlable: "permission for search engines",
    hasredirectrules: "redirect rules (the file does not have them)",
    maxvisits: "click limits",
  },
  ignored: "apikeyname",
};

function readShlink(fields: Fields): SourceLink[] {
  const address = shortAddressOf(textOf(fields, "shorturl"));
  // Of Shlink 3; later releases have rules, which the file lacks.
  const devices = fields.get("devicelongurls");
  const deviceUrl = (name: "ios" | "android") => {
    const to = isRecord(devices) ? devices[name] : null;
    return typeof to === "string" ? to : "";
  };
  const content = contentOf({
    url: textOf(fields, "longurl"),
    title: textOf(fields, "title"),
    tags: listOf(fields, "tags", /[|,]/),
    startsAt: textOf(fields, "validsince"),
    expiresAt: textOf(fields, "validuntil"),
    forwardQuery: isYes(fields, "forwardquery"),
    routing: [...systemRule("ios", deviceUrl("ios")), ...systemRule("android", deviceUrl("android"))],
  });
  const named = textOf(fields, "domain");
  const domain = /^default$/i.test(named) ? "" : named;
  return [{ domain: address?.domain || domain || null, slug: textOf(fields, "shortcode"), content }];
}

/**
 * Sink. JSON of Migrate > Export and of `GET /api/link/export` (github.com/miantiao-me/Sink, shared/schemas/link.ts,
 * ExportData). Order of targeting as in server/middleware/1.redirect.ts: device, then country.
 */
export const sink: ServiceFormat = {
  title: "Sink",
  recognizes: (names) =>
    names.has("slug") && names.has("url") && (names.has("createdat") || names.has("id")) && !names.has("shorturl"),
  read: readSink,
  used: "slug url title comment tags expiration redirectwithquery apple google geo",
  lost: {
    password: "passwords",
    createdat: "creation dates",
    description: "preview cards (description, image)",
    image: "preview cards (description, image)",
    cloaking: "link cloaking",
    unsafe: "warning pages",
  },
  ignored: "id updatedat",
};

function readSink(fields: Fields): SourceLink[] {
  const content = contentOf({
    url: textOf(fields, "url"),
    title: textOf(fields, "comment", "title"),
    tags: listOf(fields, "tags", /[,;|]/),
    expiresAt: textOf(fields, "expiration"),
    forwardQuery: isYes(fields, "redirectwithquery"),
    routing: [
      ...systemRule("android", textOf(fields, "google")),
      ...systemRule("ios", textOf(fields, "apple")),
      ...countryRules(fields.get("geo")),
    ],
  });
  return [{ domain: null, slug: textOf(fields, "slug"), content }];
}

/**
 * YOURLS. Its table of links (github.com/YOURLS/YOURLS, includes/functions-install.php): as a SQL dump of mysqldump or
 * phpMyAdmin, or as CSV of phpMyAdmin or an export plugin.
 */
export const yourls: ServiceFormat = {
  title: "YOURLS",
  recognizes: (names) => names.has("keyword") && (names.has("url") || names.has("longurl")),
  read: readYourls,
  used: "keyword url longurl shorturl title",
  lost: { clicks: "click counts", timestamp: "creation dates" },
  ignored: "ip",
  defaultColumns: ["keyword", "url", "title", "timestamp", "ip", "clicks"],
};

function readYourls(fields: Fields): SourceLink[] {
  // phpMyAdmin writes the word into CSV.
  const title = textOf(fields, "title").replace(/^NULL$/, "");
  const content = contentOf({ url: textOf(fields, "url", "longurl"), title });
  const domain = shortAddressOf(textOf(fields, "shorturl"))?.domain ?? null;
  return [{ domain, slug: textOf(fields, "keyword"), content }];
}
