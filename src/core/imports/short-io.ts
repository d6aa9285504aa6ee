/**
 * Short.io. JSON of `GET /api/links` and CSV with the same names or those of the dashboard (developers.short.io,
 * reference "List links"). The dashboard's columns can be chosen, so each has its spellings here.
 */
import type { RoutingRule } from "../links/routing.ts";
import { contentOf, listOf, shortAddressOf, systemRule, textOf } from "./fields.ts";
import type { ServiceFormat, Fields, SourceLink } from "./source-link.ts";

const SHORT_URL_NAMES = ["secureshorturl", "shorturl", "shortlink"];
const PATH_NAMES = ["path", "slug"];
const DOMAIN_NAMES = ["domain", "hostname"];

export const shortIo: ServiceFormat = {
  title: "Short.io",
  recognizes: (names) =>
    names.has("originalurl") && [...SHORT_URL_NAMES, ...PATH_NAMES].some((name) => names.has(name)),
  read: readShortIo,
  used:
    "secureshorturl shorturl shortlink path slug domain hostname originalurl title tags expiresat " +
    "expirationdate expiredurl expirationurl iphoneurl iosurl androidurl spliturl splitpercent " +
    "skipqs",
  lost: {
    password: "passwords",
    haspassword: "passwords",
    passwordcontact: "passwords",
    clickslimit: "click limits",
    clicks: "click counts",
    clickcount: "click counts",
    totalclicks: "click counts",
    humanclicks: "click counts",
    createdat: "creation dates",
    created: "creation dates",
    creationdate: "creation dates",
    archived: "the archived state (they come as normal links)",
    cloaking: "link cloaking",
    redirecttype: "the kind of redirect (Hoplink answers 302)",
    ttl: "time to live (links that delete themselves)",
    utmsource: "UTM templates",
    utmmedium: "UTM templates",
    utmcampaign: "UTM templates",
    utmterm: "UTM templates",
    utmcontent: "UTM templates",
    integrationga: "tracking scripts",
    integrationfb: "tracking scripts",
    integrationaw: "tracking scripts",
    integrationadroll: "tracking scripts",
    integrationgtm: "tracking scripts",
    folderid: "folders",
    folder: "folders",
  },
  ignored: "id idstring linkid ownerid owner domainid updatedat source user hasfavicon",
};

function readShortIo(fields: Fields): SourceLink[] {
  const address = shortAddressOf(textOf(fields, ...SHORT_URL_NAMES));
  const content = contentOf({
    url: textOf(fields, "originalurl"),
    title: textOf(fields, "title"),
    tags: listOf(fields, "tags", /[,;|]/),
    expiresAt: textOf(fields, "expiresat", "expirationdate"),
    fallbackUrl: textOf(fields, "expiredurl", "expirationurl"),
    // Only the API tells; nothing is assumed where it does not.
    forwardQuery: fields.get("skipqs") === false,
    routing: [
      ...systemRule("ios", textOf(fields, "iphoneurl", "iosurl")),
      ...systemRule("android", textOf(fields, "androidurl")),
      ...splitRule(fields),
    ],
  });
  const slug = textOf(fields, ...PATH_NAMES) || (address?.slug ?? "");
  return [
    { domain: textOf(fields, ...DOMAIN_NAMES) || address?.domain || null, slug: slug.replace(/^\//, ""), content },
  ];
}

/** A share of the visitors goes to the other destination. */
function splitRule(fields: Fields): RoutingRule[] {
  const to = textOf(fields, "spliturl");
  const percent = Number(textOf(fields, "splitpercent"));
  return to === "" || !(percent > 0) ? [] : [{ if: { percent }, to }];
}
