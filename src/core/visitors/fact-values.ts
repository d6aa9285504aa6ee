/**
 * The values of facts: devices, systems, browsers, classes of clicks, places, and the canonical form of texts. Separate
 * from the parser, which the dashboard does not need. Pure.
 */
export const DEVICES = ["mobile", "tablet", "desktop", "other"] as const;
export type Device = (typeof DEVICES)[number];

export const OSES = ["ios", "android", "windows", "macos", "linux", "chromeos", "other"] as const;
export type Os = (typeof OSES)[number];

export const BROWSERS = ["chrome", "safari", "firefox", "edge", "samsung", "opera", "other"] as const;
export type Browser = (typeof BROWSERS)[number];

export const CLICK_CLASSES = ["human", "bot", "prefetch"] as const;

export type ClickClass = (typeof CLICK_CLASSES)[number];

/** Stored letter of each class; every click has a class. */
export const CLASS_LETTERS: Record<ClickClass, string> = { human: "h", bot: "b", prefetch: "p" };

/** Canonical forms of visitors' texts for comparing and counting. Pure. */

/** A BCP 47 tag in canonical case (`DE-ch` becomes `de-CH`); null if the text is not a tag. */
export function canonicalLanguage(tag: string): string | null {
  if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$/.test(tag)) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** Hosts are compared and counted without a leading `www.` and the root's trailing dot. */
export function withoutWww(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^www\.(?=.+\.)/, "");
}

/**
 * Codes of countries and continents as Cloudflare reports them. Countries: ISO 3166-1 alpha-2 as of 2026, plus
 * Cloudflare's `XX` (unknown) and `T1` (Tor).
 */
export const COUNTRY_CODES: ReadonlySet<string> = new Set(
  (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ " +
    "CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR " +
    "GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP " +
    "KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT " +
    "MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW " +
    "SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ " +
    "UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW XX T1"
  ).split(" "),
);

export const CONTINENT_CODES = ["AF", "AN", "AS", "EU", "NA", "OC", "SA"] as const;
