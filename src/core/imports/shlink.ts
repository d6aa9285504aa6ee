/**
 * Shlink. CSV of the web client's Export (github.com/shlinkio/shlink-web-component, ExportShortUrlsBtn.tsx), the table
 * that `shlink short-url:list --all --show-tags --show-domain` prints (github.com/shlinkio/shlink,
 * ListShortUrlsCommand.php), and JSON of `GET /rest/v3/short-urls` (ShortUrl::toArray).
 */
import { contentOf, type Fields, isRecord, isYes, listOf, shortAddressOf, systemRule, textOf } from "./fields.ts";
import type { ExportFormat, SourceLink } from "./source-link.ts";

export const shlink: ExportFormat = {
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
