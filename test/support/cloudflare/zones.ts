/** Zones in the stand-in for Cloudflare's API: DNS records, custom domains of Workers and routes. */
import { type ApiRequest, CloudflareError, Page } from "./api-request.ts";
import type { Account, DnsRecord, WorkerDomain, WorkerRoute, Zone } from "./account.ts";
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
  const record = (request: ApiRequest) => {
    const found = zone(request).records.find(({ id }) => id === request.param("record"));
    if (!found) throw new CloudflareError(404, 81_044, "Record does not exist.");
    return found;
  };
  const script = "/accounts/:account/workers/scripts/:script";
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
    "POST /zones/:zone/dns_records": (request) => addRecord(zone(request), request.json<Partial<DnsRecord>>()),
    "DELETE /zones/:zone/dns_records/:record": (request) => {
      const found = record(request);
      if (found.meta) throw new CloudflareError(403, 1_043, "The record is managed by Workers");
      const { records } = zone(request);
      records.splice(records.indexOf(found), 1);
      return { id: found.id };
    },
    "GET /zones/:zone/custom_hostnames/fallback_origin": (request) => {
      const { fallbackOrigin } = zone(request);
      if (!fallbackOrigin) throw new CloudflareError(404, 1_551, "Resource not found.");
      return { ...fallbackOrigin, errors: [], created_at: "2026-11-01T09:00:00Z", updated_at: "2026-11-01T09:00:00Z" };
    },
    "GET /zones/:zone/workers/routes": (request) => zone(request).routes,
    "POST /zones/:zone/workers/routes": (request) => addRoute(zone(request), request.json<Partial<WorkerRoute>>()),
    [`PUT ${script}/routes`]: (request) => replaceRoutes(account, request),
    "GET /accounts/:account/workers/domains": (request) => {
      const hostname = request.query("hostname");
      return account.domains.filter((domain) => hostname === null || domain.hostname === hostname);
    },
    "GET /accounts/:account/workers/domains/records/:domain": (request) => {
      const found = account.domains.find(({ id }) => id === request.param("domain"));
      if (!found) throw new CloudflareError(404, 100_114, "The domain was not found");
      return found;
    },
    [`POST ${script}/domains/changeset`]: (request) =>
      changeset(account, request.param("script"), request.json<Origin[]>()),
    [`PUT ${script}/domains/records`]: (request) => {
      const { origins, ...overrides } = request.json<{ origins: Origin[] } & Overrides>();
      return setDomains(account, request.param("script"), origins, overrides);
    },
  };
}

export function newZone(name: string): Zone {
  return { id: crypto.randomUUID().replaceAll("-", ""), name, records: [], routes: [], fallbackOrigin: null };
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

function addRecord(zone: Zone, { type, name, content, proxied = false }: Partial<DnsRecord>): DnsRecord {
  if (!type || !name || !content || !isWithin(name, zone.name))
    throw new CloudflareError(400, 9_000, "DNS name is invalid.");
  if (zone.records.some((one) => one.name === name && (one.type === "CNAME" || type === "CNAME")))
    throw new CloudflareError(400, 81_053, "An A, AAAA, or CNAME record with that host already exists.");
  const made = { id: newId(), type, name, content, proxied, ttl: 1 };
  zone.records.push(made);
  return made;
}

function addRoute(zone: Zone, { pattern, script = null }: Partial<WorkerRoute>): WorkerRoute {
  if (!pattern || !isWithin(hostOf(pattern), zone.name))
    throw new CloudflareError(400, 10_022, "Invalid route pattern");
  if (zone.routes.some((route) => route.pattern === pattern))
    throw new CloudflareError(409, 10_020, "A route with the same pattern already exists.");
  const made = { id: newId(), pattern, script };
  zone.routes.push(made);
  return made;
}

function replaceRoutes(account: Account, request: ApiRequest): WorkerRoute[] {
  const script = request.param("script");
  const wanted = request.json<{ pattern: string }[]>();
  for (const zone of account.zones) zone.routes = zone.routes.filter((route) => route.script !== script);
  return wanted.map(({ pattern }) => {
    const zone = account.zones.find(({ name }) => isWithin(hostOf(pattern), name));
    if (!zone) throw new CloudflareError(400, 10_022, `Could not find zone for ${pattern}`);
    return addRoute(zone, { pattern, script });
  });
}

/** What it takes to serve these hosts with a Worker. */
function changeset(account: Account, script: string, origins: readonly Origin[]) {
  const own = account.domains.filter(({ service }) => service === script);
  const known = origins.flatMap(({ hostname }) => account.domains.filter((domain) => domain.hostname === hostname));
  const added = origins.filter(({ hostname }) => !known.some((domain) => domain.hostname === hostname));
  return {
    added: added.map((origin) => ({ ...newDomain(account, script, origin), modified: false })),
    removed: own.filter(({ hostname }) => !origins.some((origin) => origin.hostname === hostname)),
    updated: known.map((domain) => ({ ...domain, service: script, modified: domain.service !== script })),
    conflicting: added
      .filter(({ hostname }) => foreignRecords(account, hostname).length > 0)
      .map((origin) => newDomain(account, script, origin)),
  };
}

function setDomains(
  account: Account,
  script: string,
  origins: readonly Origin[],
  overrides: Overrides,
): WorkerDomain[] {
  const { updated, conflicting } = changeset(account, script, origins);
  const taken = updated.find(({ modified }) => modified);
  if (taken && !overrides.override_existing_origin)
    throw new CloudflareError(409, 100_116, `Hostname '${taken.hostname}' already in use by another Worker.`);
  const [conflict] = conflicting;
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

/** Records that no Worker owns. */
function foreignRecords({ zones }: Account, hostname: string): DnsRecord[] {
  return zones.flatMap(({ records }) =>
    records.filter(({ name, type, meta }) => name === hostname && !meta && type !== "TXT"),
  );
}

function isWithin(hostname: string, zone: string): boolean {
  return hostname === zone || hostname.endsWith(`.${zone}`);
}

function hostOf(pattern: string): string {
  return pattern.split("/")[0]?.replace(/^\*\.?/, "") ?? "";
}

function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
