/**
 * Kutt. JSON of `GET /api/v2/links` (github.com/thedevs-network/kutt, server/utils/utils.js, `sanitize.link`), one page
 * or several, and CSV of the table `links` with the same names (server/models/link.model.js).
 */
import { contentOf, type Fields, isYes, shortAddressOf, textOf } from "./fields.ts";
import type { ExportFormat, Reason, SourceLink } from "./source-link.ts";

export const kutt: ExportFormat = {
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
