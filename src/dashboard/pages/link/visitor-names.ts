/**
 * Names of what is known of visitors, by core's codes: places and languages from the browser's `Intl`, which avoids
 * downloading a table, devices, systems, browsers, referrers and sources. Pure.
 */
import { once } from "../../../core/memory/caches.ts";
import {
  type Browser,
  type CONTINENT_CODES,
  COUNTRY_CODES,
  type Device,
  type Os,
} from "../../../core/visitors/fact-values.ts";
import type { Visitor } from "../../../core/visitors/visitor.ts";
import { readableHost } from "../../formatting/hosts.ts";

const CONTINENT_NAMES: Record<(typeof CONTINENT_CODES)[number], string> = {
  AF: "Africa",
  AN: "Antarctica",
  AS: "Asia",
  EU: "Europe",
  NA: "North America",
  OC: "Oceania",
  SA: "South America",
};

const regionNames = once(() => new Intl.DisplayNames("en", { type: "region", fallback: "code" }));
const languageNames = once(() => new Intl.DisplayNames("en", { type: "language", fallback: "code" }));

export function countryName(code: string): string {
  if (code === "XX") return "Unknown country";
  if (code === "T1") return "Tor network";
  return COUNTRY_CODES.has(code) ? (regionNames().of(code) ?? code) : code;
}

/** Formats `DE-BE` as `Germany, BE`: `Intl` has no names of subdivisions. */
function regionName(code: string): string {
  const [country = "", region] = code.split("-");
  return region === undefined ? code : `${countryName(country)}, ${region}`;
}

function languageName(tag: string): string {
  try {
    return languageNames().of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/**
 * Converts a numeric country code (ISO 3166-1), which the map's shapes carry, to alpha-2; null if unknown.
 * `Intl.Locale` has the table, because language tags are canonicalized to alpha-2 regions.
 */
export function countryFromNumericCode(number: string): string | null {
  if (!/^\d{3}$/.test(number)) return null;
  const code = new Intl.Locale(`und-${number}`).region ?? "";
  return COUNTRY_CODES.has(code) ? code : null;
}

export const countryOptions = once(() =>
  [...COUNTRY_CODES]
    .map((code) => ({ value: code, label: `${countryName(code)} (${code})` }))
    .sort((a, b) => a.label.localeCompare(b.label, "en")),
);

const DEVICE_NAMES: Record<Device, string> = { mobile: "Mobile", tablet: "Tablet", desktop: "Desktop", other: "Other" };

const OS_NAMES: Record<Os, string> = {
  ios: "iOS",
  android: "Android",
  windows: "Windows",
  macos: "macOS",
  linux: "Linux",
  chromeos: "ChromeOS",
  other: "Other",
};

const BROWSER_NAMES: Record<Browser, string> = {
  chrome: "Chrome",
  safari: "Safari",
  firefox: "Firefox",
  edge: "Edge",
  samsung: "Samsung Internet",
  opera: "Opera",
  other: "Other",
};

const SOURCE_NAMES: Record<Visitor["source"], string> = { link: "Link", qr: "QR code" };

/** By package, as Android apps send it. A map, because visitors choose the key. */
const APP_NAMES: ReadonlyMap<string, string> = new Map([
  ["ch.protonmail.android", "Proton Mail"],
  ["com.android.chrome", "Chrome"],
  ["com.discord", "Discord"],
  ["com.facebook.katana", "Facebook"],
  ["com.facebook.orca", "Messenger"],
  ["com.google.android.apps.dynamite", "Google Chat"],
  ["com.google.android.apps.messaging", "Google Messages"],
  ["com.google.android.gm", "Gmail"],
  ["com.google.android.googlequicksearchbox", "Google"],
  ["com.google.android.youtube", "YouTube"],
  ["com.instagram.android", "Instagram"],
  ["com.instagram.barcelona", "Threads"],
  ["com.linkedin.android", "LinkedIn"],
  ["com.microsoft.office.outlook", "Outlook"],
  ["com.microsoft.teams", "Microsoft Teams"],
  ["com.pinterest", "Pinterest"],
  ["com.reddit.frontpage", "Reddit"],
  ["com.slack", "Slack"],
  ["com.snapchat.android", "Snapchat"],
  ["com.tencent.mm", "WeChat"],
  ["com.twitter.android", "X"],
  ["com.viber.voip", "Viber"],
  ["com.vkontakte.android", "VK"],
  ["com.whatsapp", "WhatsApp"],
  ["com.yahoo.mobile.client.android.mail", "Yahoo Mail"],
  ["com.zhiliaoapp.musically", "TikTok"],
  ["jp.naver.line.android", "LINE"],
  ["org.joinmastodon.android", "Mastodon"],
  ["org.telegram.messenger", "Telegram"],
  ["org.thoughtcrime.securesms", "Signal"],
  ["xyz.blueskyweb.app", "Bluesky"],
]);

export const visitorNames = {
  country: countryName,
  region: regionName,
  continent: nameLookup(CONTINENT_NAMES),
  device: nameLookup(DEVICE_NAMES),
  os: nameLookup(OS_NAMES),
  browser: nameLookup(BROWSER_NAMES),
  language: languageName,
  referrer: referrerName,
  source: nameLookup(SOURCE_NAMES),
};

/** For selects. Those of countries are computed on first use. */
export const visitorOptions = {
  continent: toOptions(CONTINENT_NAMES),
  device: toOptions(DEVICE_NAMES),
  os: toOptions(OS_NAMES),
  browser: toOptions(BROWSER_NAMES),
  source: toOptions(SOURCE_NAMES),
};

const APP_PREFIX = "app:";

/** The name of a host, or of an Android app: "Slack (Android)". */
function referrerName(key: string): string {
  if (!key.startsWith(APP_PREFIX)) return readableHost(key);
  const app = key.slice(APP_PREFIX.length);
  return `${APP_NAMES.get(app) ?? app} (${OS_NAMES.android})`;
}

function nameLookup(names: Record<string, string>): (key: string) => string {
  return (key) => names[key] ?? key;
}

function toOptions(names: Record<string, string>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}
