/**
 * The hosts of a deployment: those of its settings, or, where none are configured, the one host that a request is for.
 * Only addresses at `workers.dev` and of this machine are followed like that, so that an unrelated host which reaches
 * the Worker never shows the service. Runs on redirects. Pure.
 */
import { boundedMemo } from "../memory/generation-cache.ts";
import { hostnameOf, type Hosts, originOf, withoutRootDot } from "../hosts.ts";
import { testPathDomain } from "../links/test-path.ts";

export interface HostSettings {
  BASE_URL?: string | undefined;
  SHORT_DOMAIN?: string | undefined;
  TEST_SHORT_DOMAIN?: string | undefined;
  CDN_URL?: string | undefined;
}

/** Of an unrelated host, where no hosts are configured: every request is a visitor's, and every domain a customer's. */
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
 * Where there is no request. The address of a link says where it was made.
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

/** Only BASE_URL is needed: short links are on its host then, and those of test mode below `/t/`. */
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

/** Whether a host is an address that a deployment has without a domain of its own. */
export function isWorkersDev(hostname: string): boolean {
  return hostname.endsWith(WORKERS_DEV);
}

const FOLLOWED_HOSTS_MAX_ENTRIES = 100;

/** By origin. */
const followedHosts = boundedMemo(FOLLOWED_HOSTS_MAX_ENTRIES, (origin): Hosts => {
  const host = withoutRootDot(origin.slice(origin.indexOf("//") + 2)).toLowerCase();
  const hostname = hostnameOf(host);
  // A Host header may hold anything: what is no URL is no host of the service.
  const local = LOCAL_HOSTNAMES.has(hostname) ? URL.parse(origin) : null;
  if (local) return hostsAt(local, host);
  // Served with a certificate always, by Cloudflare's edge. What stands before it may speak plain HTTP.
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

/** Base of the addresses of QR images. */
export function cdnUrl({ CDN_URL }: HostSettings, { baseUrl }: Hosts): string {
  return CDN_URL || `${baseUrl}/cdn`;
}

/** @returns a message for the operator; null when the settings of hosts are right, or absent */
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
