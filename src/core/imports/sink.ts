/**
 * Sink. JSON of Migrate > Export and of `GET /api/link/export` (github.com/miantiao-me/Sink, shared/schemas/link.ts,
 * ExportData). Order of targeting as in server/middleware/1.redirect.ts: device, then country.
 */
import { contentOf, countryRules, type Fields, isYes, listOf, systemRule, textOf } from "./fields.ts";
import type { ExportFormat, SourceLink } from "./source-link.ts";

export const sink: ExportFormat = {
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
