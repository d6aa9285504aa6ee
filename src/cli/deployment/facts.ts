/**
 * The facts that the doctor examines, each read on demand; `checks.ts` evaluates them. Writes only a token for
 * `/health?deep`.
 */
import { HOME_DATABASE } from "../../core/links/buckets.ts";
import { once } from "../../core/memory/caches.ts";
import type { LinksEnv } from "../../store/directory/databases.ts";
import { otherDatabaseNames } from "../../store/directory/database-map.ts";
import { hasAccounts } from "../../store/operators/first-account.ts";
import { pendingMigrations } from "../../store/operators/migrations.ts";
import { CloudflareApiError } from "../cloudflare/api.ts";
import { unlessUnavailable } from "./account.ts";
import { deploymentConfig } from "./config.ts";
import { committedConfig } from "./config-file.ts";
import { connectDatabases, type Connection, databasePath, databasesOf } from "./connection.ts";
import { workerDomains } from "./domains.ts";
import { healthOf, type ReportedCheck } from "./health.ts";
import { NO_EDGE, requestHost } from "./host-request.ts";
import type { DeployedWorker } from "./versions.ts";

/** The health check stores a file of this name. */
const IMAGE_PROBE = "health";
/** The default user agent of a client that zones refuse: Browser Integrity Check recognizes it. */
const PYTHON = "Python-urllib/3.12";
/** Headers of images served by a domain of the bucket; R2 cannot store them. */
const IMAGE_HEADERS = ["X-Content-Type-Options", "Access-Control-Allow-Origin"];

export type LocalFacts = Awaited<ReturnType<typeof localFacts>>;
export type RemoteFacts = ReturnType<typeof remoteFacts>;
export type DatabaseFacts = ReturnType<typeof databaseFacts>;
export type HostFact = Awaited<ReturnType<typeof hostFacts>>[number];

/** @param url  of the development server, if one is running: `health` is null if none responds */
export async function localFacts(rows: LinksEnv, url: string) {
  const served = await requestHost(`${url}/health`, {}, NO_EDGE).catch(() => null);
  const health = served && (() => healthOf(rows, { baseUrl: url, edgeAddress: NO_EDGE }));
  return { ...databaseFacts(async () => rows), url, health };
}

function databaseFacts(rows: () => Promise<LinksEnv>) {
  return {
    pending: async () => pendingMigrations(await rows()),
    hasAccounts: async () => hasAccounts(await rows()),
  };
}

/** @param connection  to the current deployment, or with a version to examine */
export function remoteFacts(connection: Connection) {
  const { name, deployed, versions, baseUrl } = connection;
  const committed = committedConfig();
  const rows = once(async () => (await connectDatabases(connection)).rows);
  const health = once(async () => healthOf(await rows(), { baseUrl }));
  return {
    ...deployed,
    ...databaseFacts(rows),
    name,
    /** Whether commands need this Worker's name, because they default to another one. */
    isNamed: name !== committed.name,
    expectedBindings: expectedBindings(connection),
    /** Tags of the objects' migrations in this release, newest last. */
    knownTags: (committed.migrations ?? []).map(({ tag }) => tag),
    expectedCrons: committed.triggers?.crons ?? [],
    health,
    replication: () => replicationOf(connection),
    crons: () => versions.schedules(),
    deployment: async () => (await versions.deployments())[0] ?? null,
    hosts: () => hostFacts(connection),
    plainHttp: () => plainHttpFact(connection),
    pythonReply: () => requestHost(`${baseUrl}/health`, { headers: { "User-Agent": PYTHON } }),
    fallbackOrigin: () => fallbackOriginOf(connection),
    images: () => imagesFact(connection, health),
  };
}

/** The bindings that a deployment of this release gives the Worker. Rate limits have a namespace. */
function expectedBindings({ account, name, deployed }: Connection): { name: string; namespace_id?: string }[] {
  const { bucket, salts } = deployed;
  const databases = [HOME_DATABASE, ...linkBindings(deployed)].map((binding) => ({ binding, name: "", id: "" }));
  const installation = { account: account.id, name, databases, bucket, salts, hasPaidPlan: false, variables: {} };
  const config = deploymentConfig(committedConfig(), installation);
  const { d1_databases = [], r2_buckets = [], kv_namespaces = [], ratelimits = [], durable_objects } = config;
  const bound = [config.assets, config.version_metadata, ...d1_databases, ...r2_buckets, ...kv_namespaces];
  return [
    ...bound.flatMap((one) => (one?.binding === undefined ? [] : [{ name: one.binding }])),
    ...ratelimits.map(({ name: binding, namespace_id }) => ({ name: binding, namespace_id })),
    ...(durable_objects?.bindings ?? []).map((one) => ({ name: one.name })),
  ];
}

/** Empty if the setting is invalid, which another check reports. */
function linkBindings({ variables: { LINK_DATABASES } }: DeployedWorker): string[] {
  try {
    return otherDatabaseNames(LINK_DATABASES);
  } catch {
    return [];
  }
}

/** `auto` if every database has it. */
async function replicationOf({ api, account, deployed }: Connection): Promise<string> {
  const bound = databasesOf(deployed);
  if (bound.length === 0) throw new Error("the Worker has no database binding");
  const modes = bound.map(async ({ id }) => {
    const { read_replication } = await api.get<{ read_replication?: { mode?: string } }>(databasePath(account, id));
    return read_replication?.mode ?? "disabled";
  });
  return (await Promise.all(modes)).find((mode) => mode !== "auto") ?? "auto";
}

/** Custom hosts; none on workers.dev. `service` is the Worker with the custom domain, `fault` why a request failed. */
async function hostFacts(connection: Connection) {
  const { BASE_URL = "", SHORT_DOMAIN = "", TEST_SHORT_DOMAIN = "" } = connection.deployed.variables;
  const hosts = new Set([URL.parse(BASE_URL)?.host ?? "", SHORT_DOMAIN, TEST_SHORT_DOMAIN].filter(isOwnHost));
  if (hosts.size === 0) return [];
  const domains = await workerDomains(connection);
  return Promise.all(
    [...hosts].map(async (hostname) => {
      const domain = domains.find((one) => one.hostname === hostname);
      // A response without this field does not mean a missing certificate: the request then shows it.
      const hasCertificate = domain?.cert_id === undefined || Boolean(domain.cert_id);
      return { hostname, service: domain?.service ?? null, hasCertificate, fault: await faultOf(hostname) };
    }),
  );
}

function isOwnHost(host: string): boolean {
  return host !== "" && !host.endsWith(".workers.dev");
}

/** @returns null if there was any response; a wrong certificate counts as none */
async function faultOf(hostname: string): Promise<string | null> {
  try {
    await requestHost(`https://${hostname}/`);
    return null;
  } catch (error) {
    const { message, cause } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}

/** @returns the response to plain HTTP; null if there is none, or on workers.dev, which operators cannot configure */
async function plainHttpFact({ baseUrl }: Connection): Promise<{ url: string; location: string | null } | null> {
  const { host } = new URL(baseUrl);
  const url = `http://${host}/health`;
  const answer = isOwnHost(host) ? await requestHost(url).catch(() => null) : null;
  return answer && { url, location: answer.location };
}

/**
 * @param health  stores the requested file
 * @returns the response of the bucket's domain; null if the Worker serves the images
 */
async function imagesFact({ deployed, baseUrl }: Connection, health: () => Promise<ReportedCheck[]>) {
  const { CDN_URL = "" } = deployed.variables;
  if (CDN_URL === "" || URL.parse(CDN_URL)?.origin === new URL(baseUrl).origin) return null;
  await health().catch(() => {});
  const url = `${CDN_URL.replace(/\/$/, "")}/${IMAGE_PROBE}`;
  const { status, headers } = await requestHost(url);
  return { url, status, missingHeaders: IMAGE_HEADERS.filter((name) => !headers.has(name)) };
}

/** The target of requests for custom hostnames. @returns null if the zone has none */
async function fallbackOriginOf({ api, deployed }: Connection) {
  const { CF_ZONE_ID = "" } = deployed.variables;
  const path = `/zones/${encodeURIComponent(CF_ZONE_ID)}/custom_hostnames/fallback_origin`;
  const found = await api.get<{ origin?: string; status?: string } | null>(path).catch((error: unknown) => {
    if (error instanceof CloudflareApiError && error.isUnavailable) throw error;
    return unlessUnavailable(error);
  });
  return found?.origin ? { origin: found.origin, status: found.status ?? "active" } : null;
}
