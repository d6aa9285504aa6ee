/**
 * dub. CSV of Links > Export (github.com/dubinc/dub, apps/web/lib/zod/schemas/links.ts, `exportLinksColumns`), and JSON
 * of `GET /links` (LinkSchema there). Order of targeting as in apps/web/lib/middleware/link.ts: device, country, A/B test.
 */
import type { RoutingRule } from "../links/routing.ts";
import { contentOf, countryRules, isRecord, listOf, shortAddressOf, systemRule, textOf } from "./fields.ts";
import type { ServiceFormat, Fields, Reason, SourceLink } from "./source-link.ts";

export const dub: ServiceFormat = {
  title: "dub",
  recognizes: (names) =>
    (names.has("shortlink") && names.has("destinationurl")) ||
    (names.has("shortlink") && names.has("key") && names.has("url")),
  read: readDub,
  used:
    "shortlink destinationurl domain key url title tags expiresat expiredurl ios android geo " +
    "testvariants testcompletedat disabledat",
  lost: {
    password: "passwords",
    clicks: "click counts",
    leads: "leads and sales",
    conversions: "leads and sales",
    sales: "leads and sales",
    saleamount: "leads and sales",
    revenue: "leads and sales",
    trackconversion: "conversion tracking",
    createdat: "creation dates",
    archived: "the archived state (they come as normal links)",
    proxy: "preview cards (title, description, image)",
    description: "preview cards (title, description, image)",
    image: "preview cards (title, description, image)",
    video: "preview cards (title, description, image)",
    rewrite: "link cloaking",
    doindex: "permission for search engines",
    folderid: "folders",
    comments: "comments",
    webhookids: "webhooks",
    publicstats: "public statistics",
  },
  ignored:
    "id linkid updatedat externalid identifier tenantid programid partnerid tagid userid workspaceid " +
    "projectid qrcode lastclicked teststartedat partnergroupid user utmsource utmmedium utmcampaign " +
    "utmterm utmcontent",
};

function readDub(fields: Fields): SourceLink[] | Reason {
  if (textOf(fields, "disabledat") !== "") {
    return { reason: "The link is disabled at dub.", advice: "Enable it there and export again if it should work." };
  }
  const address = shortAddressOf(textOf(fields, "shortlink"));
  const key = textOf(fields, "key");
  const content = contentOf({
    url: textOf(fields, "destinationurl", "url"),
    title: textOf(fields, "title"),
    tags: listOf(fields, "tags", /,/),
    expiresAt: textOf(fields, "expiresat"),
    fallbackUrl: textOf(fields, "expiredurl"),
    routing: [
      ...systemRule("ios", textOf(fields, "ios")),
      ...systemRule("android", textOf(fields, "android")),
      ...countryRules(fields.get("geo")),
      ...testRules(fields),
    ],
  });
  const domain = textOf(fields, "domain") || address?.domain || null;
  return [{ domain, slug: key === "_root" ? "" : key || (address?.slug ?? ""), content }];
}

/** Shares of a running A/B test: a threshold grows by each share, and the last variant takes the rest. */
function testRules(fields: Fields): RoutingRule[] {
  const variants = fields.get("testvariants");
  if (!Array.isArray(variants) || textOf(fields, "testcompletedat") !== "") return [];
  let percent = 0;
  return variants.flatMap((variant: unknown): RoutingRule[] => {
    if (!isRecord(variant) || typeof variant.url !== "string" || typeof variant.percentage !== "number") return [];
    percent = Math.min(100, percent + variant.percentage);
    return [{ if: { percent }, to: variant.url }];
  });
}
