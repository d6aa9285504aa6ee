/**
 * YOURLS. Its table of links (github.com/YOURLS/YOURLS, includes/functions-install.php): as a SQL dump of mysqldump or
 * phpMyAdmin, or as CSV of phpMyAdmin or an export plugin.
 */
import { contentOf, type Fields, shortAddressOf, textOf } from "./fields.ts";
import type { ExportFormat, SourceLink } from "./source-link.ts";

export const yourls: ExportFormat = {
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
