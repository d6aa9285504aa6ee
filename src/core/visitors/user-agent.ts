/**
 * What a client says it is: device, operating system, browser, and whether it declares itself a bot.
 * Names come from ua-parser-js 1.0 (MIT; 2.x is AGPL; 20 kB minified, 9 kB gzipped), which knows the models by which TVs,
 * consoles, watches and tablets give themselves away; bots from the list of isbot (6 kB minified). Around both: corrections.
 * Believes what it is told, so a client that lies well is what it says; never guesses a person from a bot that hides.
 * An iPad asking for the desktop site (the default since iPadOS 13) is a Mac to the letter, and comes out as one.
 * Pure: no I/O, no clock. Reads 256 characters at most of anything, since whoever calls chose them.
 */
import { parseUserAgent } from "./user-agent-patterns.ts";

export const DEVICES = ["mobile", "tablet", "desktop", "other"] as const;
export type Device = (typeof DEVICES)[number];

export const OSES = ["ios", "android", "windows", "macos", "linux", "chromeos", "other"] as const;
export type Os = (typeof OSES)[number];

export const BROWSERS = ["chrome", "safari", "firefox", "edge", "samsung", "opera", "other"] as const;
export type Browser = (typeof BROWSERS)[number];

interface Client {
  device: Device;
  os: Os;
  browser: Browser;
}

/** The headers Sec-CH-UA-Mobile, Sec-CH-UA-Platform and Sec-CH-UA, as sent. */
export interface ClientHints {
  mobile: string | null;
  platform: string | null;
  brands: string | null;
}

/** Of browsers' own User-Agents the longest has about 200 characters. The patterns take time by the square of this. */
export const USER_AGENT_MAX_CHARS = 256;

/** An empty string would make the parser look for a browser that it runs in. */
const BLANK_USER_AGENT = " ";

/**
 * Client hints win where they are well-formed and known, else the User-Agent speaks. TVs, consoles, watches, cars, HTTP
 * libraries and plain bots are device `other`; a bot that poses as a phone is classed as the phone it wants to be treated
 * as. In-app browsers are browser `other`: they share neither the cookies nor the settings of the browser they embed.
 */
export function detectClient(userAgent: string, hints: ClientHints): Client {
  const text = userAgent.slice(0, USER_AGENT_MAX_CHARS);
  const parser = parseUserAgent(text || BLANK_USER_AGENT);
  const type = parser.getDevice().type;
  const appliance = APPLIANCE_TYPES.has(type) || APPLIANCE_PATTERN.test(text);
  const os = osOf(parser.getOS().name, text);
  const browser = browserFromBrands(hints.brands) ?? browserOf(parser.getBrowser().name, os, text);
  // The firmware of a TV or console is no platform anybody ships for, whatever it is built on; Android TV is.
  if (appliance) return { device: "other", os: os === "android" ? os : "other", browser };
  const hintedOs = osFromPlatform(hints.platform) ?? os;
  const device = deviceFromHint(hints.mobile, hintedOs, type) ?? deviceOf(type, hintedOs, text);
  return { device, os: hintedOs, browser };
}

// ---- Device

const APPLIANCE_TYPES: ReadonlySet<string | undefined> = new Set(["smarttv", "console", "wearable", "embedded"]);

/** Appliances the parser takes for a phone, a tablet or a desktop. */
const APPLIANCE_PATTERN = /\bWeb0S\b|Smart-?TV|HbbTV|\bDTV\b|CrKey|; Chromecast\b|Large Screen/i;

/** How browsers begin; what does not is a script, a probe or an app, and no desktop for naming an operating system. */
const BROWSER_PREFIX_PATTERN = /^(?:Mozilla|Opera|Microsoft Office)\/|^E?Links\b/;

const DESKTOP_OSES: ReadonlySet<Os> = new Set(["windows", "macos", "linux", "chromeos"]);

function deviceOf(type: string | undefined, os: Os, text: string): Device {
  if (type === "mobile" || type === "tablet") return type;
  // Old Opera and Fennec name Android or Java ME, and no model for the parser to go by.
  if (os === "android" || /\bJ2ME\b|\bMIDP\b|Windows CE|IEMobile/.test(text)) return "mobile";
  if (!BROWSER_PREFIX_PATTERN.test(text) || text.includes("PowerShell/")) return "other";
  return DESKTOP_OSES.has(os) || text.includes("X11;") ? "desktop" : "other";
}

/** `?0` means "not a phone": on Android that is a tablet. An iPad is told from an iPhone by its User-Agent alone. */
function deviceFromHint(hint: string | null, os: Os, type: string | undefined): Device | null {
  if (hint === "?1") return os === "ios" && type === "tablet" ? "tablet" : "mobile";
  if (hint !== "?0") return null;
  if (os === "android") return "tablet";
  return DESKTOP_OSES.has(os) ? "desktop" : null;
}

// ---- Operating system

const OS_BY_PARSER_NAME: ReadonlyMap<string | undefined, Os> = new Map([
  ["iOS", "ios"],
  ["Android", "android"],
  ["Android-x86", "android"],
  ["HarmonyOS", "android"],
  ["Windows", "windows"],
  ["Mac OS", "macos"],
  ["Chromium OS", "chromeos"],
  ["Linux", "linux"],
]);

/** Distributions name themselves in place of Linux, and the parser reports the name. */
const LINUX_PATTERN = /\bLinux\b/i;
const NOT_DESKTOP_LINUX_PATTERN = /Tizen|Web0S|hpwOS|KAIOS|Sailfish|Maemo|MeeGo|like Android/i;

function osOf(name: string | undefined, text: string): Os {
  // The parser takes "MIDP; Opera" for the end of an iPhone's, and Windows CE for Windows.
  if (/\bJ2ME\b|Windows CE/.test(text)) return "other";
  const known = OS_BY_PARSER_NAME.get(name);
  if (known !== undefined) return known;
  return LINUX_PATTERN.test(text) && !NOT_DESKTOP_LINUX_PATTERN.test(text) ? "linux" : "other";
}

const OS_BY_PLATFORM_HINT: ReadonlyMap<string | undefined, Os> = new Map([
  ["Android", "android"],
  ["Chrome OS", "chromeos"],
  ["Chromium OS", "chromeos"],
  ["iOS", "ios"],
  ["Linux", "linux"],
  ["macOS", "macos"],
  ["Windows", "windows"],
]);

function osFromPlatform(hint: string | null): Os | null {
  return OS_BY_PLATFORM_HINT.get(/^"([\w ]{1,32})"$/.exec(hint ?? "")?.[1]) ?? null;
}

// ---- Browser

const BROWSER_BY_PARSER_NAME: ReadonlyMap<string | undefined, Browser> = new Map([
  ["Chrome", "chrome"],
  ["Chromium", "chrome"],
  ["Safari", "safari"],
  ["Mobile Safari", "safari"],
  ["Firefox", "firefox"],
  ["Firefox Focus", "firefox"],
  ["Fennec", "firefox"],
  ["Edge", "edge"],
  ["Samsung Internet", "samsung"],
  ["Opera", "opera"],
  ["Opera GX", "opera"],
  ["Opera Mini", "opera"],
  ["Opera Mobi", "opera"],
  ["Opera Tablet", "opera"],
  ["Opera Touch", "opera"],
  ["Opera Coast", "opera"],
]);

/** The three everybody copies end in their own mark; who builds on them adds its name behind it. */
const COPIED_BROWSERS: ReadonlySet<Browser> = new Set(["chrome", "safari", "firefox"]);
const OWN_TOKEN_LAST_PATTERN =
  /\b(?:Safari|Firefox|Fennec)\/[\w.]+\+?(?: \(\.NET CLR [^()]*\))?$|\bFocus\/[\d.]+ Mobile\/\w+$/;
const SAFARI_OSES: ReadonlySet<Os> = new Set(["ios", "macos", "windows"]);

function browserOf(name: string | undefined, os: Os, text: string): Browser {
  const browser = BROWSER_BY_PARSER_NAME.get(name) ?? "other";
  if (COPIED_BROWSERS.has(browser) && !OWN_TOKEN_LAST_PATTERN.test(text.trimEnd())) return "other";
  // Any WebKit calls itself Safari: BlackBerry, PlayStation, GNOME Web.
  return browser === "safari" && !SAFARI_OSES.has(os) ? "other" : browser;
}

/** Brands that hide behind another's User-Agent are listed, so that their hints tell on them. */
const BROWSER_BY_BRAND_HINT: ReadonlyMap<string | undefined, Browser> = new Map([
  ["Android WebView", "other"],
  ["AVG Secure Browser", "other"],
  ["Avast Secure Browser", "other"],
  ["Brave", "other"],
  ["CCleaner Browser", "other"],
  ["DuckDuckGo", "other"],
  ["HeadlessChrome", "other"],
  ["Microsoft Edge WebView2", "other"],
  ["Vivaldi", "other"],
  ["YaBrowser", "other"],
  ["Yandex", "other"],
  ["Google Chrome", "chrome"],
  ["Microsoft Edge", "edge"],
  ["Opera", "opera"],
  ["Opera GX", "opera"],
  ["OperaMobile", "opera"],
  ["Samsung Internet", "samsung"],
]);

/** `"Chromium";v="131", "Google Chrome";v="131", "Not_A Brand";v="24"`: in any order, one of them made up. */
const BRAND_LIST_PATTERN = /^\s*"[^"\\]*"\s*;\s*v="[^"\\]*"\s*(?:,\s*"[^"\\]*"\s*;\s*v="[^"\\]*"\s*)*$/;

function browserFromBrands(hint: string | null): Browser | null {
  if (hint === null || hint.length > USER_AGENT_MAX_CHARS || !BRAND_LIST_PATTERN.test(hint)) return null;
  const named = Array.from(hint.matchAll(/"([^"]*)"\s*;/g), ([, brand]) => BROWSER_BY_BRAND_HINT.get(brand));
  const known = named.filter((browser) => browser !== undefined);
  // A web view lists its host too, as "Microsoft Edge" beside "Microsoft Edge WebView2".
  return known.includes("other") ? "other" : (known[0] ?? null);
}
