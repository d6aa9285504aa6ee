/**
 * Device, operating system and browser of a client, from its User-Agent and client hints. Uses ua-parser-js 1.0 (MIT;
 * 2.x is AGPL; 20 kB minified, 9 kB gzipped), which knows the models of TVs, consoles, watches and tablets, and
 * corrects it. Trusts the headers: a client that forges them is classed as what it claims to be. An iPad that asks for
 * the desktop site (the default since iPadOS 13) sends a Mac's User-Agent and is classed as a Mac. Pure. Reads at most
 * 256 characters, since the client chooses them.
 */
import UAParser from "ua-parser-js";

import type { Browser, Device, Os } from "./fact-values.ts";

/**
 * ua-parser-js gets a bounded time for every pattern. A pattern that backtracks over three or more runs of the text
 * takes cubic time: 256 hostile characters took up to 600 ms. Each such pattern is replaced by one that starts only at
 * the first occurrence of its word, or omitted if its result makes no difference here. Every other pattern is at most
 * quadratic: all of them together stay under 5 ms (test/core/visitors/user-agent-cpu.test.ts).
 *
 * The parser's cubic patterns by their source; null omits one, which detects a browser that is `other` here.
 * @internal
 */
export const PATTERN_REPLACEMENTS: ReadonlyMap<string, RegExp | null> = new Map([
  [String.raw`(naver)\(.*?(\d+\.[\w\.]+).*\)`, null],
  [String.raw`trident.+rv[: ]([\w\.]{1,9})\b.+like gecko`, null],
  [String.raw`(mozilla)\/([\w\.]+) .+rv\:.+gecko\/\d+`, null],
  [
    String.raw`droid.+ version\/([\w\.]+)\b.+(?:mobile safari|safari)`,
    /(?<!droid.*)droid.+ version\/([\w.]+)\b.+safari/i,
  ],
  [
    String.raw`droid.+; (a?\d[0-2]{2}so|[c-g]\d{4}|so[-gl]\w+|xq-a\w[4-7][12])(?= bui|\).+chrome\/(?![1-6]{0,1}\d\.))`,
    /(?<!droid.*)droid.+; (a?\d[0-2]{2}so|[c-g]\d{4}|so[-gl]\w+|xq-a\w[4-7][12])(?= bui|\).+chrome\/(?![1-6]?\d\.))/i,
  ],
  [
    String.raw`archos ?(5|gamepad2?|([\w ]*[t1789]|hello) ?\d+[\w ]*)( b|\))`,
    /(?<!archos[\w ]*)archos ?((?:5|gamepad2?|[\w ]*[t1789] ?\d[\w ]*|hello ?\d[\w ]*)(?: b|\)))/i,
  ],
  [String.raw`droid.+aft(\w+)( bui|\))`, /(?<!droid.*)droid.+aft(\w+)( bui|\))/i],
  [String.raw`Hbbtv.*(technisat) (.*);`, /(?<!hbbtv.*)hbbtv.*(technisat) (.*);/i],
  [
    String.raw`droid .+?; ([^;]+?)(?: bui|; wv\)|\) applew).+? mobile safari`,
    /(?<!droid .*)droid .+?; ([^;]+?)(?: bui|; wv\)|\) applew).+? mobile safari/i,
  ],
  [
    String.raw`droid .+?; ([^;]+?)(?: bui|\) applew).+?(?! mobile) safari`,
    /(?<!droid .*)droid .+?; ([^;]+?)(?: bui|\) applew).+?(?! mobile) safari/i,
  ],
]);

const PARSER_EXTENSIONS = { browser: boundedTable(), device: boundedTable(), os: boundedTable() };

/**
 * The parser's `extensions` can only add patterns: on every construction it calls their `concat` with its own table.
 * This `concat` returns the parser's table with the replacements.
 */
function boundedTable(): unknown[] {
  let bounded: unknown[] | undefined;
  const concat = (table: unknown[]) =>
    (bounded ??= table.map((entry, index) =>
      isPatterns(index) ? (entry as RegExp[]).flatMap(boundedPatterns) : entry,
    ));
  return Object.assign([], { concat });
}

/** Tables alternate: patterns, then their meaning. */
function isPatterns(index: number): boolean {
  return index % 2 === 0;
}

function boundedPatterns(pattern: RegExp): RegExp[] {
  const replacement = PATTERN_REPLACEMENTS.get(pattern.source);
  return replacement === undefined ? [pattern] : replacement === null ? [] : [replacement];
}

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

/**
 * Genuine browsers' User-Agents have up to about 200 characters. The patterns' time grows with the square of this
 * limit.
 */
export const USER_AGENT_MAX_CHARS = 256;

/** Replaces an empty string, for which the parser would read `navigator.userAgent`. */
const BLANK_USER_AGENT = " ";

/**
 * Client hints take precedence if they are well-formed and known. TVs, consoles, watches, cars, HTTP libraries and
 * plain bots are device `other`; a bot that sends a phone's User-Agent is a phone, since it wants to be treated as one.
 * In-app browsers are browser `other`: they share neither cookies nor settings with the browser that they embed.
 */
export function detectClient(userAgent: string, hints: ClientHints): Client {
  const text = userAgent.slice(0, USER_AGENT_MAX_CHARS);
  const parser = new UAParser(text || BLANK_USER_AGENT, PARSER_EXTENSIONS);
  const type = parser.getDevice().type;
  const appliance = APPLIANCE_TYPES.has(type) || APPLIANCE_PATTERN.test(text);
  const os = osOf(parser.getOS().name, text);
  const browser = browserFromBrands(hints.brands) ?? browserOf(parser.getBrowser().name, os, text);
  // Apps are not made for the firmware of TVs and consoles, whatever its base; they are made for Android TV.
  if (appliance) return { device: "other", os: os === "android" ? os : "other", browser };
  const hintedOs = osFromPlatform(hints.platform) ?? os;
  const device = deviceFromHint(hints.mobile, hintedOs, type) ?? deviceOf(type, hintedOs, text);
  return { device, os: hintedOs, browser };
}

/** @param groups  each value with its names */
function byName<V>(...groups: readonly (readonly [V, ...string[]])[]): ReadonlyMap<string | undefined, V> {
  return new Map(groups.flatMap(([value, ...names]) => names.map((name) => [name, value] as const)));
}

// ---- Device

const APPLIANCE_TYPES: ReadonlySet<string | undefined> = new Set(["smarttv", "console", "wearable", "embedded"]);

/** Appliances that the parser mistakes for a phone, a tablet or a desktop. */
const APPLIANCE_PATTERN = /\bWeb0S\b|Smart-?TV|HbbTV|\bDTV\b|CrKey|; Chromecast\b|Large Screen/i;

/**
 * Prefixes of browsers' User-Agents. Anything else is a script, a probe or an app, and is not classed as a desktop even
 * if it names a system.
 */
const BROWSER_PREFIX_PATTERN = /^(?:Mozilla|Opera|Microsoft Office)\/|^E?Links\b/;

const DESKTOP_OSES: ReadonlySet<Os> = new Set(["windows", "macos", "linux", "chromeos"]);

function deviceOf(type: string | undefined, os: Os, text: string): Device {
  if (type === "mobile" || type === "tablet") return type;
  // Old Opera and Fennec name Android or Java ME, but no model that the parser knows.
  if (os === "android" || /\bJ2ME\b|\bMIDP\b|Windows CE|IEMobile/.test(text)) return "mobile";
  if (!BROWSER_PREFIX_PATTERN.test(text) || text.includes("PowerShell/")) return "other";
  return DESKTOP_OSES.has(os) || text.includes("X11;") ? "desktop" : "other";
}

/** `?0` means "not a phone": on Android that is a tablet. Only the User-Agent distinguishes an iPad from an iPhone. */
function deviceFromHint(hint: string | null, os: Os, type: string | undefined): Device | null {
  if (hint === "?1") return os === "ios" && type === "tablet" ? "tablet" : "mobile";
  if (hint !== "?0") return null;
  if (os === "android") return "tablet";
  return DESKTOP_OSES.has(os) ? "desktop" : null;
}

// ---- Operating system

/** Systems by the parser's names and the hint's. */
const OS_BY_NAME = byName<Os>(
  ["ios", "iOS"],
  ["android", "Android", "Android-x86", "HarmonyOS"],
  ["windows", "Windows"],
  ["macos", "Mac OS", "macOS"],
  ["chromeos", "Chromium OS", "Chrome OS"],
  ["linux", "Linux"],
);

/** For many distributions the parser reports their own name instead of Linux. */
const LINUX_PATTERN = /\bLinux\b/i;
const NOT_DESKTOP_LINUX_PATTERN = /Tizen|Web0S|hpwOS|KAIOS|Sailfish|Maemo|MeeGo|like Android/i;

function osOf(name: string | undefined, text: string): Os {
  // The parser reads "MIDP; Opera" as iOS, and Windows CE as Windows.
  if (/\bJ2ME\b|Windows CE/.test(text)) return "other";
  const known = OS_BY_NAME.get(name);
  if (known !== undefined) return known;
  return LINUX_PATTERN.test(text) && !NOT_DESKTOP_LINUX_PATTERN.test(text) ? "linux" : "other";
}

function osFromPlatform(hint: string | null): Os | null {
  return OS_BY_NAME.get(/^"([\w ]{1,32})"$/.exec(hint ?? "")?.[1]) ?? null;
}

// ---- Browser

const BROWSER_BY_PARSER_NAME = byName<Browser>(
  ["chrome", "Chrome", "Chromium"],
  ["safari", "Safari", "Mobile Safari"],
  ["firefox", "Firefox", "Firefox Focus", "Fennec"],
  ["edge", "Edge"],
  ["samsung", "Samsung Internet"],
  ["opera", "Opera", "Opera GX", "Opera Mini", "Opera Mobi", "Opera Tablet", "Opera Touch", "Opera Coast"],
);

/**
 * Derived browsers copy Chrome's, Safari's or Firefox's User-Agent and append their own token; the genuine ones end in
 * their own.
 */
const COPIED_BROWSERS: ReadonlySet<Browser> = new Set(["chrome", "safari", "firefox"]);
const OWN_TOKEN_LAST_PATTERN =
  /\b(?:Safari|Firefox|Fennec)\/[\w.]+\+?(?: \(\.NET CLR [^()]*\))?$|\bFocus\/[\d.]+ Mobile\/\w+$/;
const SAFARI_OSES: ReadonlySet<Os> = new Set(["ios", "macos", "windows"]);

function browserOf(name: string | undefined, os: Os, text: string): Browser {
  const browser = BROWSER_BY_PARSER_NAME.get(name) ?? "other";
  if (COPIED_BROWSERS.has(browser) && !OWN_TOKEN_LAST_PATTERN.test(text.trimEnd())) return "other";
  // Every WebKit browser names Safari: BlackBerry, PlayStation, GNOME Web.
  return browser === "safari" && !SAFARI_OSES.has(os) ? "other" : browser;
}

/** Includes brands that send Chrome's User-Agent and that only the hint identifies. */
const BROWSER_BY_BRAND_HINT = byName<Browser>(
  ["other", "Android WebView", "AVG Secure Browser", "Avast Secure Browser", "Brave", "CCleaner Browser", "DuckDuckGo"],
  ["other", "HeadlessChrome", "Microsoft Edge WebView2", "Vivaldi", "YaBrowser", "Yandex"],
  ["chrome", "Google Chrome"],
  ["edge", "Microsoft Edge"],
  ["opera", "Opera", "Opera GX", "OperaMobile"],
  ["samsung", "Samsung Internet"],
);

/** `"Chromium";v="131", "Google Chrome";v="131", "Not_A Brand";v="24"`, in any order, one of them invented (GREASE). */
const BRAND_LIST_PATTERN = /^\s*"[^"\\]*"\s*;\s*v="[^"\\]*"\s*(?:,\s*"[^"\\]*"\s*;\s*v="[^"\\]*"\s*)*$/;

function browserFromBrands(hint: string | null): Browser | null {
  if (hint === null || hint.length > USER_AGENT_MAX_CHARS || !BRAND_LIST_PATTERN.test(hint)) return null;
  const named = Array.from(hint.matchAll(/"([^"]*)"\s*;/g), ([, brand]) => BROWSER_BY_BRAND_HINT.get(brand));
  const known = named.filter((browser) => browser !== undefined);
  // A web view also lists its host: "Microsoft Edge" beside "Microsoft Edge WebView2".
  return known.includes("other") ? "other" : (known[0] ?? null);
}
