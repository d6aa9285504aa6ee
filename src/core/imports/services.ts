/**
 * The services whose exports can be imported, each as a table of its columns, and `clicks` as a table of the columns of
 * its single clicks. Names are in the form of `fieldName`, so CSV headers and JSON members share a table. Each of
 * Hoplink's columns lists its names at the service, of which the first that is filled is read.
 */
import type { ImportedService, Recognition } from "./source-link.ts";

/** The services, in the order in which their formats are tried. */
const TABLES = {
  /**
   * CSV of Links > Export (github.com/dubinc/dub, apps/web/lib/zod/schemas/links.ts, `exportLinksColumns`), and JSON of
   * `GET /links` (LinkSchema there). The order of targeting follows apps/web/lib/middleware/link.ts. Clicks: JSON of `GET
   * /events` (lib/zod/schemas/clicks.ts, `clickEventResponseSchema`) and CSV of Events > Export
   * (app/(ee)/api/events/export/route.ts), whose `Event` is the trigger.
   */
  dub: {
    title: "dub",
    marks: ["shortlink destinationurl", "shortlink key url"],
    columns: {
      shortUrl: ["shortlink"],
      domain: ["domain"],
      slug: ["key"],
      url: ["destinationurl", "url"],
      title: ["title"],
      tags: ["tags"],
      expiresAt: ["expiresat"],
      fallbackUrl: ["expiredurl"],
      archived: ["archived"],
      password: ["password"],
      cardTitle: ["title"],
      cardDescription: ["description"],
      cardImage: ["image"],
    },
    // Otherwise, dub redirects link previews like everyone else.
    cardIf: "proxy",
    clicks: {
      marks: ["timestamp domain key", "date link"],
      // Leads and sales have their customers.
      unlike: "customer",
      columns: {
        at: ["timestamp", "date"],
        shortUrl: ["shortlink", "link"],
        slug: ["key"],
        referrer: ["refererurl", "referrerurl", "referer", "referrer"],
      },
    },
    rules: [
      ["ios", "ios"],
      ["android", "android"],
      ["countries", "geo"],
      ["variants", "testvariants", "testcompletedat"],
    ],
    tagSeparators: /,/,
    refused: {
      column: "disabledat",
      reason: "The link is disabled at dub.",
      advice: "Enable it there and export again if it should work.",
    },
    lost: {
      "leads and sales": "leads conversions sales saleamount revenue",
      "conversion tracking": "trackconversion",
      "preview videos": "video",
      "link cloaking": "rewrite",
      "permission for search engines": "doindex",
      folders: "folderid",
      comments: "comments",
      webhooks: "webhookids",
      "public statistics": "publicstats",
    },
    ignored:
      "id linkid updatedat externalid identifier tenantid programid partnerid tagid userid workspaceid projectid qrcode " +
      "lastclicked teststartedat partnergroupid user utmsource utmmedium utmcampaign utmterm utmcontent",
  },
  /**
   * CSV of Links > Export (support.bitly.com, "How do I export link data"), and JSON of `GET
   * /v4/groups/{group_guid}/bitlinks` (dev.bitly.com/api-reference). A link with a custom back-half has both addresses.
   * The custom ones become its aliases.
   */
  bitly: {
    title: "Bitly",
    marks: ["destinationurl link", "longurl bitlink", "longurl custombitlinks", "longurl link"],
    columns: {
      shortUrl: ["link", "bitlink", "shortlink", "shorturl", "id"],
      moreShortUrls: ["custombitlinks", "custombitlink", "customlink", "customlinks"],
      url: ["destinationurl", "longurl"],
      title: ["title", "linktitle"],
      tags: ["tags"],
      archived: ["archived"],
      clicks: ["engagements", "totalengagements", "clicks", "totalclicks"],
    },
    lost: {
      "app links": "deeplinks",
      "campaigns and channels": "campaign campaignids channel",
      pages: "launchpadids",
      "QR codes (printed ones work once their domain moves)": "qrcodeids",
    },
    ignored: "references clientid createdby modifiedat groupguid guid isdeleted createdbyname",
  },
  /**
   * JSON of `GET /api/links` and CSV with the same names or those of the dashboard (developers.short.io, reference
   * "List links"). Users can choose the dashboard's columns. Clicks: JSON of `POST
   * /statistics/domain/{domainId}/last_clicks` (developers.short.io/docs/requesting-clickstream; its members are in
   * github.com/airbytehq/airbyte, source-shortio/schemas/clicks.json) and CSV with the same names.
   */
  "short-io": {
    title: "Short.io",
    marks: [
      "originalurl secureshorturl",
      "originalurl shorturl",
      "originalurl shortlink",
      "originalurl path",
      "originalurl slug",
    ],
    columns: {
      shortUrl: ["secureshorturl", "shorturl", "shortlink"],
      domain: ["domain", "hostname"],
      slug: ["path", "slug"],
      url: ["originalurl"],
      title: ["title"],
      tags: ["tags"],
      expiresAt: ["expiresat", "expirationdate"],
      fallbackUrl: ["expiredurl", "expirationurl"],
      archived: ["archived"],
      // Only the API provides this; otherwise nothing is assumed.
      dropsQuery: ["skipqs"],
    },
    clicks: {
      marks: ["dt path"],
      columns: { at: ["dt"], domain: ["host"], slug: ["path"], referrer: ["ref", "refhost"], user_agent: ["ua"] },
    },
    rules: [
      ["ios", "iphoneurl", "iosurl"],
      ["android", "androidurl"],
      ["split", "spliturl", "splitpercent"],
    ],
    lost: {
      "click limits": "clickslimit",
      "link cloaking": "cloaking",
      "the kind of redirect (Hoplink answers 302)": "redirecttype",
      "time to live (links that delete themselves)": "ttl",
      "UTM templates": "utmsource utmmedium utmcampaign utmterm utmcontent",
      "tracking scripts": "integrationga integrationfb integrationaw integrationadroll integrationgtm",
      folders: "folderid folder",
    },
    ignored: "id idstring linkid ownerid owner domainid updatedat source user hasfavicon",
  },
  /**
   * JSON of `GET /api/v2/links` (github.com/thedevs-network/kutt, server/utils/utils.js, `sanitize.link`), one page or
   * several, and CSV of the table `links` with the same names (server/models/link.model.js).
   */
  kutt: {
    title: "Kutt",
    marks: ["target address"],
    columns: {
      shortUrl: ["link"],
      domain: ["domain"],
      slug: ["address"],
      url: ["target"],
      title: ["description"],
      expiresAt: ["expirein"],
      clicks: ["visitcount"],
    },
    refused: {
      column: "banned",
      reason: "The link is banned at Kutt.",
      advice: "Lift the ban there and export again if it should work.",
    },
    lost: {},
    ignored: "id uuid updatedat bannedbyid domainid userid",
  },
  /**
   * JSON of Migrate > Export and of `GET /api/link/export` (github.com/miantiao-me/Sink, shared/schemas/link.ts,
   * ExportData). The order of targeting follows server/middleware/1.redirect.ts. Clicks: JSON of `GET /api/logs/events`
   * (server/utils/access-log.ts, `blobsMap`). Region and city are decorated texts, and not read.
   */
  sink: {
    title: "Sink",
    marks: ["slug url createdat", "slug url id"],
    unlike: "shorturl",
    columns: {
      slug: ["slug"],
      url: ["url"],
      title: ["comment", "title"],
      tags: ["tags"],
      expiresAt: ["expiration"],
      forwardQuery: ["redirectwithquery"],
      password: ["password"],
      cardTitle: ["title"],
      cardDescription: ["description"],
      cardImage: ["image"],
    },
    clicks: {
      marks: ["slug ua timestamp"],
      columns: { at: ["timestamp"], referrer: ["referer"], user_agent: ["ua"], region: [], city: [] },
    },
    rules: [
      ["android", "google"],
      ["ios", "apple"],
      ["countries", "geo"],
    ],
    lost: {
      "link cloaking": "cloaking",
      "warning pages": "unsafe",
    },
    ignored: "id updatedat",
  },
  /**
   * CSV of the web client's Export (github.com/shlinkio/shlink-web-component, ExportShortUrlsBtn.tsx), the table that
   * `shlink short-url:list --all --show-tags --show-domain` prints (github.com/shlinkio/shlink, ListShortUrlsCommand.php),
   * and JSON of `GET /rest/v3/short-urls` (ShortUrl::toArray). Clicks: JSON of `GET /rest/v3/short-urls/{code}/visits`,
   * `/domains/{domain}/visits` or `/visits/non-orphan` (Visit::jsonSerialize, VisitLocation::jsonSerialize). Visits that
   * Shlink imported itself lack `visitedUrl`; `shortUrl` can be added to them.
   */
  shlink: {
    title: "Shlink",
    marks: ["shortcode longurl"],
    columns: {
      shortUrl: ["shorturl"],
      domain: ["domain"],
      slug: ["shortcode"],
      url: ["longurl"],
      title: ["title"],
      tags: ["tags"],
      startsAt: ["validsince"],
      expiresAt: ["validuntil"],
      forwardQuery: ["forwardquery"],
    },
    clicks: {
      marks: ["date referer potentialbot", "date referer useragent"],
      columns: {
        at: ["date"],
        shortUrl: ["shorturl", "visitedurl"],
        country: ["countrycode", "country"],
        city: ["cityname", "city"],
        referrer: ["referer"],
        bot: ["potentialbot"],
      },
    },
    // Shlink 3 only; later releases have rules, which the file lacks.
    rules: [["devices", "devicelongurls"]],
    tagSeparators: /[|,]/,
    lost: {
      "permission for search engines": "crawlable",
      "redirect rules (the file does not have them)": "hasredirectrules",
      "click limits": "maxvisits",
    },
    ignored: "apikeyname",
  },
  /**
   * The tables of links and clicks (github.com/YOURLS/YOURLS, includes/functions-install.php): as a SQL dump of mysqldump
   * or phpMyAdmin, or as CSV of phpMyAdmin or an export plugin.
   */
  yourls: {
    title: "YOURLS",
    marks: ["keyword url", "keyword longurl"],
    columns: { shortUrl: ["shorturl"], slug: ["keyword"], url: ["url", "longurl"], title: ["title"] },
    lost: {},
    ignored: "ip",
    defaultColumns: ["keyword", "url", "title", "timestamp", "ip", "clicks"],
    clicks: {
      marks: ["clicktime shorturl"],
      defaultColumns: ["clickid", "clicktime", "shorturl", "referrer", "useragent", "ipaddress", "countrycode"],
      columns: { at: ["clicktime"], shortUrl: [], slug: ["shorturl"], country: ["countrycode"] },
    },
  },
  /**
   * JSON of `GET /v1/links` (developers.rebrandly.com/docs/link-entity), and CSV of the dashboard with the same names or
   * its own. The domain in JSON is an object, so it is read from the short URL.
   */
  rebrandly: {
    title: "Rebrandly",
    marks: ["slashtag destination", "slashtag destinationurl"],
    columns: {
      shortUrl: ["shorturl", "shortlink", "brandedlink"],
      domain: ["domain", "domainname"],
      slug: ["slashtag"],
      url: ["destination", "destinationurl"],
      title: ["title", "linktitle"],
      tags: ["tags"],
      forwardQuery: ["forwardparameters"],
      clicks: ["clicks", "totalclicks"],
    },
    lost: { "link notes": "description notes", "tracking scripts": "scripts" },
    ignored:
      "id linkid domainid updatedat updated lastclickat lastclickdate lastclick sessions favourite favorite https " +
      "ispublic status creator creatorname integrated workspace workspaceid workspacename",
  },
} satisfies Record<string, ImportedService>;

export type FormatName = keyof typeof TABLES;
export const SERVICES: Readonly<Record<FormatName, ImportedService>> = TABLES;
export const FORMAT_NAMES = Object.keys(TABLES) as FormatName[];

/** The loss of counts whose clicks are in another file. */
export const CLICK_COUNTS = "click counts";

/** Content that cannot be imported from any service. */
const LOST_EVERYWHERE: Readonly<Record<string, string>> = {
  [CLICK_COUNTS]:
    "clicks clickcount totalclicks humanclicks engagements totalengagements scans visits visitcount visitscount visitssummary",
  "creation dates": "createdat created creationdate datecreated timestamp",
};

/** A password that cannot be read is a loss of its link (`read-export.ts`). */
const PASSWORDS = ["password", "haspassword", "passwordcontact"];

/** @param names  of a CSV header or a JSON entry, in the form of `fieldName` */
export function recognizedFormat(names: ReadonlySet<string>): FormatName | null {
  return FORMAT_NAMES.find((name) => isFileOf(SERVICES[name], names)) ?? null;
}

/** @param names  as in `recognizedFormat` */
export function isFileOf({ marks, unlike }: Recognition, names: ReadonlySet<string>): boolean {
  const hasAll = (mark: string) => mark.split(" ").every((name) => names.has(name));
  return marks.some(hasAll) && !(unlike !== undefined && names.has(unlike));
}

/** The loss that each column causes, by the column's name; null: none. Unknown columns are not included. */
export function lossesByColumn(service: ImportedService): ReadonlyMap<string, string | null> {
  const { columns, rules = [], refused, lost, ignored, cardIf } = service;
  const losses = Object.entries({ ...LOST_EVERYWHERE, ...lost }).flatMap(([loss, names]) =>
    names.split(" ").map((name) => [name, loss] as const),
  );
  const read = [...Object.values(columns).flat(), ...rules.flatMap(([, ...names]) => names)];
  const others = [cardIf, refused?.column].filter((name) => name !== undefined);
  const lossless = [...read, ...PASSWORDS, ...others, ...ignored.split(" ")];
  return new Map([...losses, ...lossless.map((name) => [name, null] as const)]);
}
