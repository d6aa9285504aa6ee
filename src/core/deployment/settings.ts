import {
  hostnameOf,
  type Hosts,
  isServiceShortDomain,
  originOf,
  parseUrl,
  withoutRootDot,
  testPathDomain,
} from "../hosts.ts";
import { ENCODED_URL_MAX_BYTES } from "../limits.ts";
import type { DefaultRedirects } from "../links/visit-decision.ts";
import { boundedMemo } from "../memory/caches.ts";
import { MINUTE_MS } from "../time.ts";
import type { Geography } from "../visitors/visitor.ts";

/**
 * The hosts of a deployment: those of its settings, or, if none are configured, the host of the request. Only
 * `workers.dev` and local addresses are accepted in that case, so that an unrelated host which reaches the Worker never
 * shows the service. Runs on redirects. Pure.
 */

export interface HostSettings {
  BASE_URL?: string | undefined;
  SHORT_DOMAIN?: string | undefined;
  TEST_SHORT_DOMAIN?: string | undefined;
  CDN_URL?: string | undefined;
}

/** Used for an unrelated host when no hosts are configured: all requests are visits, and all domains are customers'. */
const NO_HOSTS: Hosts = {
  baseUrl: "",
  protocol: "https:",
  baseHostname: "",
  shortDomains: { live: "", test: "" },
  shortDomainByHostname: new Map(),
};

const LOCAL_HOSTNAMES: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const WORKERS_DEV = ".workers.dev";

/** @param url  of the request */
export function hostsOf(settings: HostSettings, url: string): Hosts {
  return configuredHosts(settings) ?? followedHosts(originOf(url));
}

/**
 * The hosts for a link outside a request. The link's address shows on which host it was created.
 * @param domain  as stored
 */
export function hostsOfLink(settings: HostSettings, domain: string): Hosts {
  return hostsOf(settings, `http://${domain}/`);
}

/** @returns null when no hosts are configured */
export function configuredHosts(settings: HostSettings): Hosts | null {
  const known = hostsBySettings.get(settings);
  if (known !== undefined) return known;
  const hosts = hostsFromSettings(settings);
  hostsBySettings.set(settings, hosts);
  return hosts;
}

/** Settings do not change while an isolate lives, so they are parsed once. */
const hostsBySettings = new WeakMap<HostSettings, Hosts | null>();

/** Parses the settings. Only BASE_URL is required: short links then use its host, those of test mode below `/t/`. */
function hostsFromSettings({ BASE_URL = "", SHORT_DOMAIN, TEST_SHORT_DOMAIN }: HostSettings): Hosts | null {
  const base = webUrl(BASE_URL);
  if (!base) return null;
  const live = (SHORT_DOMAIN || base.host).toLowerCase();
  return hostsAt(base, live, (TEST_SHORT_DOMAIN || live).toLowerCase());
}

function webUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : null;
}

/** Whether a host is the address of a deployment without its own domain. */
export function isWorkersDev(hostname: string): boolean {
  return hostname.endsWith(WORKERS_DEV);
}

const FOLLOWED_HOSTS_MAX_ENTRIES = 100;

/** Hosts by origin. */
const followedHosts = boundedMemo(FOLLOWED_HOSTS_MAX_ENTRIES, (origin): Hosts => {
  const host = withoutRootDot(origin.slice(origin.indexOf("//") + 2)).toLowerCase();
  const hostname = hostnameOf(host);
  // A Host header may contain anything: a text that is not a URL is not a host of the service.
  const local = LOCAL_HOSTNAMES.has(hostname) ? URL.parse(origin) : null;
  if (local) return hostsAt(local, host);
  // Cloudflare's edge always serves this host with a certificate. A proxy in front of it may use plain HTTP.
  const deployed = isWorkersDev(hostname) ? URL.parse(`https://${hostname}`) : null;
  return deployed ? hostsAt(deployed, hostname) : NO_HOSTS;
});

function hostsAt(base: URL, live: string, test = live): Hosts {
  const { origin, protocol, hostname } = base;
  return {
    baseUrl: origin,
    protocol,
    baseHostname: hostname,
    shortDomains: { live, test: test === live ? testPathDomain(live) : test },
    shortDomainByHostname: new Map([live, test].map((domain) => [hostnameOf(domain), domain])),
  };
}

/** Base URL of QR images. */
export function cdnUrl({ CDN_URL }: HostSettings, { baseUrl }: Hosts): string {
  return CDN_URL || `${baseUrl}/cdn`;
}

/** @returns a message for the operator; null when the host settings are valid or absent */
export function hostSettingsProblem(settings: HostSettings): string | null {
  const { BASE_URL = "", CDN_URL = "" } = settings;
  const lonely = (["SHORT_DOMAIN", "TEST_SHORT_DOMAIN"] as const).find((name) => settings[name]);
  if (BASE_URL === "" && lonely !== undefined) return `This deployment's ${lonely} is set, but its BASE_URL is not`;
  for (const [name, value] of Object.entries({ BASE_URL, CDN_URL })) {
    if (value !== "" && !webUrl(value)) {
      return `This deployment's ${name} must be a URL that begins with https:// or http://`;
    }
  }
  return null;
}

/** Default redirects of the service's own short domains. They do there what those of a custom domain do. */

const DEFAULT_REDIRECT_SETTINGS = ["HOME_URL", "NOT_FOUND_URL", "EXPIRED_URL"] as const;

export type DefaultRedirectSettings = Partial<Record<(typeof DEFAULT_REDIRECT_SETTINGS)[number], string>>;

/** An absolute http or https URL without white space, user name and password. */
const PLAIN_WEB_URL = /^https?:\/\/[^\s/\\?#@]+(?:[/?#]\S*)?$/i;

/** Null where a setting is empty or invalid. */
export function ownDefaultRedirects(settings: DefaultRedirectSettings, hosts: Hosts): DefaultRedirects {
  const page = (name: keyof DefaultRedirectSettings) => {
    const url = settings[name] ?? "";
    return isRedirectUrl(url, hosts) ? url : null;
  };
  return { rootUrl: page("HOME_URL"), notFoundUrl: page("NOT_FOUND_URL"), expiredUrl: page("EXPIRED_URL") };
}

/**
 * Whether a `+` after a slug of the service's own short domains is not answered. A mistyped setting must not show what
 * the operator meant to hide.
 */
export function isDefaultPeekOff({ PEEK = "" }: { PEEK?: string }): boolean {
  return PEEK !== "" && PEEK !== "on";
}

/** @returns a message for the operator; null when the settings are valid or absent */
export function defaultRedirectSettingsProblem(settings: DefaultRedirectSettings & HostSettings): string | null {
  const hosts = configuredHosts(settings);
  const wrong = DEFAULT_REDIRECT_SETTINGS.find((name) => settings[name] && !isRedirectUrl(settings[name], hosts));
  if (wrong === undefined) return null;
  return `This deployment's ${wrong} must be an http or https URL that does not lead to its own short domains, or empty`;
}

/** @param hosts  null when none are configured: only redirects, which know the host, then refuse loops */
function isRedirectUrl(text: string, hosts: Hosts | null): boolean {
  const url = PLAIN_WEB_URL.test(text) ? parseUrl(text) : null;
  return url !== null && url.href.length <= ENCODED_URL_MAX_BYTES && !(hosts && isServiceShortDomain(url, hosts));
}

/**
 * Where to create a Durable Object: the location hint for the place of a request, as Cloudflare's edge reports it. A
 * hint applies only to an object's first call; the object then stays where it is.
 * https://developers.cloudflare.com/durable-objects/reference/data-location/
 */

export type LocationHint = Region | "sam" | "afr" | "me";

/** Location hints that databases and buckets also accept: the regions in which a deployment can store its data. */
export const REGIONS = ["wnam", "enam", "weur", "eeur", "apac", "oc"] as const;

export type Region = (typeof REGIONS)[number];

/**
 * Options of a call that may create its object. Objects that do not depend on a visitor's place are created near the
 * databases, which they query several times for each request.
 * @param near  the visitor's location
 * @returns undefined if neither place nor region is known: the object is then created near its first caller
 */
export function regionOf(
  { REGION }: { REGION?: string },
  near?: LocationHint,
): { locationHint: LocationHint } | undefined {
  const locationHint = near ?? REGIONS.find((region) => region === REGION);
  return locationHint && { locationHint };
}

/** Borders between west and east, in degrees: the Great Plains; the Oder and the Adriatic. */
const AMERICA_MIDDLE = -100;
const EUROPE_MIDDLE = 15;

/** Countries of Asia that are closer to the Middle East's data centers than to those of Asia and the Pacific. */
const MIDDLE_EAST: ReadonlySet<string> = new Set("AE AM AZ BH CY GE IL IQ IR JO KW LB OM PS QA SA SY TR YE".split(" "));

/** @returns undefined if the place is not known: the object is then created near its first caller */
export function locationHintOf({ continent, country, longitude }: Geography): LocationHint | undefined {
  // Number("") is 0, which is a valid longitude.
  const east = longitude ? Number(longitude) : NaN;
  switch (continent) {
    case "NA":
      return east < AMERICA_MIDDLE ? "wnam" : "enam";
    case "SA":
      return "sam";
    case "EU":
      return east > EUROPE_MIDDLE ? "eeur" : "weur";
    case "AF":
      return "afr";
    case "AS":
      return MIDDLE_EAST.has(country ?? "") ? "me" : "apac";
    case "OC":
      return "oc";
    default:
      return undefined;
  }
}

/** The operator's contact for abuse reports, from `ABUSE_CONTACT`: an email address or a URL. */

export interface AbuseContact {
  /** The setting's text, as displayed. */
  text: string;
  href: string;
}

const EMAIL_MAX_CHARS = 254;
const URL_MAX_CHARS = 2_048;

/** Cached, because every error page shows it and the setting never changes within a deployment. */
const parsedContact = boundedMemo(1, parseContact);

/** @returns null when the setting is empty, "invalid" when it is neither an email address nor an http(s) URL */
export function abuseContact({ ABUSE_CONTACT = "" }: { ABUSE_CONTACT?: string }): AbuseContact | "invalid" | null {
  return parsedContact(ABUSE_CONTACT.trim());
}

/** The message to the owner of a suspended account. */
export function suspensionText(env: { ABUSE_CONTACT?: string }): string {
  const contact = abuseContact(env);
  return `This account is suspended.${contact && contact !== "invalid" ? ` Contact ${contact.text}.` : ""}`;
}

function parseContact(text: string): AbuseContact | "invalid" | null {
  if (text === "") return null;
  const email = /^([^\s@:/<>()",;\\[\]]+)@([A-Za-z0-9.-]+)$/.exec(text);
  if (email && text.length <= EMAIL_MAX_CHARS) {
    return { text, href: `mailto:${encodeURIComponent(email[1] ?? "")}@${email[2]}` };
  }
  const url = text.length <= URL_MAX_CHARS ? webUrl(text) : null;
  return url?.username === "" && url.password === "" ? { text, href: url.href } : "invalid";
}

/** Limits of the Workers plan (src/docs/deploy.md, Workers Free plan). */

/** Defaults to the plan with the lower limits. */
export function isFreePlan({ WORKERS_PLAN }: { WORKERS_PLAN?: string }): boolean {
  return WORKERS_PLAN !== "paid";
}

/**
 * Calls to objects in one request or one run of maintenance. On the Free plan, an invocation may make 50 calls. Queries
 * count as calls, in the worst case each one of a batch. These limits leave room for the queries. On the paid plan, an
 * invocation may make 10,000 calls.
 * @internal
 */
export const OBJECT_CALLS_MAX = { free: 32, paid: 500 } as const;

/** Database queries in one invocation; each statement of a batch counts. */
const QUERIES_MAX = { free: 50, paid: 1_000 } as const;

export function queriesMax(settings: { WORKERS_PLAN?: string }): number {
  return QUERIES_MAX[isFreePlan(settings) ? "free" : "paid"];
}

export function objectCallsMax(settings: { WORKERS_PLAN?: string }): number {
  return OBJECT_CALLS_MAX[isFreePlan(settings) ? "free" : "paid"];
}

/**
 * Clicks that one response may export, so that its pages do not exceed an invocation's calls: a typical click takes 300
 * to 500 bytes.
 */
export const EXPORT_CLICKS_MAX = { free: 50_000, paid: 10_000_000 } as const;

export function exportClicksMax(settings: { WORKERS_PLAN?: string }): number {
  return EXPORT_CLICKS_MAX[isFreePlan(settings) ? "free" : "paid"];
}

/**
 * Limits of one stream, in ms and in messages from its object; then its client reconnects with the last id. A stream is
 * one invocation. Every four seconds, its access check makes up to three of its queries (`QUERIES_MAX`): without any
 * left, it could not detect that its key was revoked. A message takes up to 0.1 ms of its CPU time, which is 10 ms on
 * the Free plan and 30 s on the paid one.
 */
const STREAM_LIMITS = {
  free: { lifetimeMs: MINUTE_MS, messagesMax: 50 },
  paid: { lifetimeMs: 20 * MINUTE_MS, messagesMax: 50_000 },
} as const;

export function streamLimits(settings: { WORKERS_PLAN?: string }) {
  return STREAM_LIMITS[isFreePlan(settings) ? "free" : "paid"];
}
