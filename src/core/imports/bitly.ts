/**
 * Bitly. CSV of Links > Export (columns Link, Custom Link, Destination URL and more: support.bitly.com, "How do I export
 * link data"), and JSON of `GET /v4/groups/{group_guid}/bitlinks` (dev.bitly.com/api-reference). A link with a custom
 * back-half answers at both addresses, so it becomes two links.
 */
import { contentOf, listOf, shortAddressOf, textOf } from "./fields.ts";
import type { ServiceFormat, Fields, Reason, SourceLink } from "./source-link.ts";

const LINK_NAMES = ["link", "bitlink", "shortlink", "shorturl", "id"];
const CUSTOM_NAMES = ["custombitlinks", "custombitlink", "customlink", "customlinks"];

export const bitly: ServiceFormat = {
  title: "Bitly",
  recognizes: (names) =>
    (names.has("destinationurl") && names.has("link")) ||
    (names.has("longurl") && (names.has("bitlink") || names.has("custombitlinks") || names.has("link"))),
  read: readBitly,
  used:
    "link bitlink shortlink shorturl id custombitlinks custombitlink customlink customlinks " +
    "destinationurl longurl title linktitle tags",
  lost: {
    clicks: "click counts",
    engagements: "click counts",
    totalclicks: "click counts",
    totalengagements: "click counts",
    scans: "click counts",
    datecreated: "creation dates",
    created: "creation dates",
    createdat: "creation dates",
    archived: "the archived state (they come as normal links)",
    deeplinks: "app links",
    campaign: "campaigns and channels",
    campaignids: "campaigns and channels",
    channel: "campaigns and channels",
    launchpadids: "pages",
    qrcodeids: "QR codes (printed ones work once their domain moves)",
  },
  ignored: "references clientid createdby modifiedat groupguid guid isdeleted createdbyname",
};

/** Bitly has one, or a few that were changed: what is beyond is no file of Bitly. */
const CUSTOMS_MAX = 100;

function readBitly(fields: Fields): SourceLink[] | Reason {
  const content = contentOf({
    url: textOf(fields, "destinationurl", "longurl"),
    title: textOf(fields, "title", "linktitle"),
    tags: listOf(fields, "tags", /[,;|]/),
  });
  const customs = CUSTOM_NAMES.flatMap((name) => listOf(fields, name, /[\s,;|]+/));
  if (customs.length > CUSTOMS_MAX) {
    return {
      reason: `The link has more than ${CUSTOMS_MAX} custom addresses.`,
      advice: "Create it by hand with those that are in use.",
    };
  }
  const addresses = [textOf(fields, ...LINK_NAMES), ...customs].filter((text) => text !== "").map(shortAddressOf);
  const links = addresses.map((address) => ({
    domain: address?.domain ?? null,
    slug: address?.slug ?? "",
    content,
  }));
  const byAddress = new Map(links.map((link) => [`${link.domain}/${link.slug}`, link]));
  return byAddress.size === 0 ? [{ domain: null, slug: "", content }] : [...byAddress.values()];
}
