/** Names of devices, operating systems, browsers, referrers and sources of visits by core's codes. Pure. */
import type { Browser, Device, Os } from "../../../core/visitors/fact-values.ts";
import type { Visitor } from "../../../core/visitors/visitor.ts";
import { readableHost } from "../../formatting/hosts.ts";

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

export const deviceName = nameLookup(DEVICE_NAMES);
export const osName = nameLookup(OS_NAMES);
export const browserName = nameLookup(BROWSER_NAMES);
export const sourceName = nameLookup(SOURCE_NAMES);

export const DEVICE_OPTIONS = toOptions(DEVICE_NAMES);
export const OS_OPTIONS = toOptions(OS_NAMES);
export const BROWSER_OPTIONS = toOptions(BROWSER_NAMES);
export const SOURCE_OPTIONS = toOptions(SOURCE_NAMES);

const APP_PREFIX = "app:";

/** The name of a host, or of an Android app: "Slack (Android)". */
export function referrerName(key: string): string {
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
