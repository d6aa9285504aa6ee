/** Zones in the stand-in for Cloudflare's API: DNS records and custom domains of Workers. */
import { Buffer } from "node:buffer";

import { type ApiRequest, CloudflareError, Page } from "./api-request.ts";
import type { Account, DnsRecord, WorkerDomain, Zone, ZoneSettings } from "./account.ts";
import type { Routes } from "./api-server.ts";

interface Origin {
  hostname: string;
  zone_id?: string;
  zone_name?: string;
}

interface Overrides {
  override_existing_origin?: boolean;
  override_existing_dns_record?: boolean;
}

/** A Worker's own records have this address, as if it were a server. */
const WORKER_ADDRESS = "100::";

export function zoneRoutes(account: Account): Routes {
  const zone = (request: ApiRequest) => findZone(account, request.param("zone"));
  return {
    "GET /zones": (request) => {
      const name = request.query("name");
      const ofAccount = (request.query("account.id") ?? account.id) === account.id;
      const found = account.zones.filter((one) => ofAccount && (name === null || one.name === name));
      return new Page(
        request,
        found.map((one) => zoneOf(account, one)),
      );
    },
    "GET /zones/:zone": (request) => zoneOf(account, zone(request)),
    "GET /zones/:zone/dns_records": (request) => {
      const [name, type] = [request.query("name") ?? request.query("name.exact"), request.query("type")];
      const matches = (one: DnsRecord) => (name === null || one.name === name) && (type === null || one.type === type);
      return new Page(request, zone(request).records.filter(matches));
    },
    "GET /zones/:zone/settings/:setting": (request) => {
      const id = request.param("setting");
      const value = Object.entries(zone(request).settings).find(([name]) => name === id)?.[1];
      if (value === undefined) throw new CloudflareError(400, 1003, `Undefined zone setting: ${id}`);
      return { id, value, modified_on: null, editable: true };
    },
    "GET /zones/:zone/custom_hostnames/fallback_origin": (request) => {
      const { fallbackOrigin } = zone(request);
      if (!fallbackOrigin) throw new CloudflareError(404, 1_551, "Resource not found.");
      return { ...fallbackOrigin, errors: [], created_at: "2026-11-01T09:00:00Z", updated_at: "2026-11-01T09:00:00Z" };
    },
    "GET /accounts/:account/workers/domains": (request) => {
      const hostname = request.query("hostname");
      return account.domains.filter((domain) => hostname === null || domain.hostname === hostname);
    },
    "DELETE /accounts/:account/workers/domains/:domain": (request) => {
      const found = account.domains.find(({ id }) => id === request.param("domain"));
      if (!found) throw new CloudflareError(404, 100_114, "The domain was not found.");
      account.domains = account.domains.filter((other) => other !== found);
      for (const one of account.zones)
        one.records = one.records.filter(
          ({ name, meta }) => name !== found.hostname || meta?.origin_worker_id !== found.service,
        );
      // The only answer without a body.
      return Buffer.alloc(0);
    },
    "PUT /accounts/:account/workers/scripts/:script/domains/records": (request) => {
      const { origins, ...overrides } = request.json<{ origins: Origin[] } & Overrides>();
      return setDomains(account, request.param("script"), origins, overrides);
    },
  };
}

/** Browser Integrity Check: the values of `User-Agent` that it answers with 403, and the text of that answer. */
export const BROWSER_CHECK = { refused: /^$|^Python-urllib\//, text: "error code: 1010" } as const;

/** The settings of a new zone. */
const NEW_ZONE_SETTINGS: ZoneSettings = { always_use_https: "off", browser_check: "on", email_obfuscation: "on" };

export function newZone(name: string, settings: Partial<ZoneSettings> = {}): Zone {
  const id = crypto.randomUUID().replaceAll("-", "");
  return { id, name, records: [], settings: { ...NEW_ZONE_SETTINGS, ...settings }, fallbackOrigin: null };
}

/** The zone of an account that contains a host. */
export function zoneOfHost({ zones }: Pick<Account, "zones">, host: string): Zone | undefined {
  return zones.find(({ name }) => isWithin(host, name));
}

function findZone({ zones }: Account, id: string): Zone {
  const zone = zones.find((one) => one.id === id);
  if (!zone)
    throw new CloudflareError(404, 7003, `Could not route to /zones/${id}, perhaps your object identifier is invalid?`);
  return zone;
}

function zoneOf({ id: accountId, name: accountName }: Account, { id, name }: Zone) {
  return { id, name, status: "active", paused: false, type: "full", account: { id: accountId, name: accountName } };
}

function setDomains(
  account: Account,
  script: string,
  origins: readonly Origin[],
  overrides: Overrides,
): WorkerDomain[] {
  const known = origins.flatMap(({ hostname }) => account.domains.filter((domain) => domain.hostname === hostname));
  const taken = known.find(({ service }) => service !== script);
  if (taken && !overrides.override_existing_origin)
    throw new CloudflareError(409, 100_116, `Hostname '${taken.hostname}' already in use by another Worker.`);
  const conflict = origins.find(
    ({ hostname }) =>
      !known.some((domain) => domain.hostname === hostname) && foreignRecords(account, hostname).length > 0,
  );
  if (conflict && !overrides.override_existing_dns_record)
    throw new CloudflareError(
      409,
      100_117,
      `Hostname '${conflict.hostname}' already has externally managed DNS records (A, CNAME, etc). Either delete them, try a different hostname, or use the option 'override_existing_dns_record' to override.`,
    );
  const domains = origins.map((origin) => newDomain(account, script, origin));
  const hosts = new Set(domains.map(({ hostname }) => hostname));
  account.domains = [
    ...account.domains.filter((one) => one.service !== script && !hosts.has(one.hostname)),
    ...domains,
  ];
  for (const zone of account.zones) {
    const others = zone.records.filter((one) => !hosts.has(one.name) && one.meta?.origin_worker_id !== script);
    zone.records = [...others, ...domains.filter(({ zone_id }) => zone_id === zone.id).map((one) => workerRecord(one))];
  }
  return domains;
}

function newDomain(account: Account, script: string, { hostname, zone_id, zone_name }: Origin): WorkerDomain {
  const zone = account.zones.find((one) =>
    zone_id ? one.id === zone_id : zone_name ? one.name === zone_name : isWithin(hostname, one.name),
  );
  if (!zone || !isWithin(hostname, zone.name))
    throw new CloudflareError(400, 100_115, `Hostname '${hostname}' is not part of a zone of this account.`);
  const known = account.domains.find((domain) => domain.hostname === hostname);
  const ids = { id: known?.id ?? newId(), cert_id: known?.cert_id ?? newId() };
  return { ...ids, hostname, zone_id: zone.id, zone_name: zone.name, service: script, environment: "production" };
}

function workerRecord({ hostname, service }: WorkerDomain): DnsRecord {
  const meta = { origin_worker_id: service, read_only: true as const };
  return { id: newId(), type: "AAAA", name: hostname, content: WORKER_ADDRESS, proxied: true, ttl: 1, meta };
}

/** Records not owned by a Worker. */
function foreignRecords({ zones }: Account, hostname: string): DnsRecord[] {
  return zones.flatMap(({ records }) =>
    records.filter(({ name, type, meta }) => name === hostname && !meta && type !== "TXT"),
  );
}

function isWithin(hostname: string, zone: string): boolean {
  return hostname === zone || hostname.endsWith(`.${zone}`);
}

function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
