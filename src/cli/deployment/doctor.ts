/**
 * Examines a deployment, one version of it, or the development database and its server. `npm run upgrade` decides by the
 * same checks. What cannot be read is a fact as well, so that one missing permission does not hide the rest. Writes
 * nothing but a token for `/health?deep`.
 */
import { hasAccounts } from "../../store/operators/first-account.ts";
import { pendingMigrations } from "../../store/operators/migrations.ts";
import type { LinksEnv } from "../../store/directory/databases.ts";
import { CloudflareApiError } from "../cloudflare/api.ts";
import { withLocalDatabaseAsItIs } from "../database.ts";
import { otherDatabaseNames } from "../../store/directory/database-map.ts";
import { unlessUnavailable } from "./account.ts";
import { type Check, type Fact, localChecks, type Part, Unreadable } from "./check.ts";
import {
  type BindingFact,
  type FallbackOriginFact,
  type HostFact,
  type ImagesFact,
  remoteChecks,
  versionChecks,
  type VersionFacts,
} from "./checks.ts";
import { namespaceId } from "./config.ts";
import { committedConfig } from "./config-file.ts";
import {
  connect,
  connectDatabases,
  type Connection,
  databasePath,
  databasesOf,
  type RemoteDatabases,
} from "./connection.ts";
import { readDeployedWorker } from "./deployed-worker.ts";
import { Dialog } from "./dialog.ts";
import { workerDomains } from "./domains.ts";
import { healthOf, healthOfVersion, pinTo, type WaitOptions } from "./health.ts";
import { NO_EDGE, requestHost } from "./host-request.ts";

/** The health check stores a file of this name. */
const IMAGE_PROBE = "health";
/** Of images that a domain of the bucket serves; R2 cannot keep them. */
const IMAGE_HEADERS = ["X-Content-Type-Options", "Access-Control-Allow-Origin"];

/** @throws SetupError when there is no such Worker */
export async function examineRemote(output: NodeJS.WritableStream): Promise<Check[]> {
  const dialog = new Dialog(output);
  const connection = await connect(undefined, dialog);
  return dialog.step("Checks", () => examine(connection));
}

/** The deployment as it is now, of which `connection` may know an earlier version. */
export async function examineAgain(connection: Connection): Promise<Check[]> {
  const deployed = (await readDeployedWorker(connection, connection.name)) ?? connection.deployed;
  return examine({ ...connection, deployed });
}

/** @throws SetupError when requests do not reach the version */
export async function examineVersion(
  connection: Connection,
  { rows }: RemoteDatabases,
  version: string,
  waiting: WaitOptions,
): Promise<Check[]> {
  const { versions, baseUrl, name } = connection;
  const health = await healthOfVersion(rows, { baseUrl, headers: pinTo(name, version) }, version, waiting);
  const deployed = await versions.worker(version);
  return versionChecks(await versionFacts({ ...connection, deployed }, rows, health));
}

/** @param url  of the development server, where one runs */
export async function examineLocal(persistTo: string | undefined, url: string): Promise<Check[]> {
  const missing = new Unreadable("there is no database", false);
  const facts = await withLocalDatabaseAsItIs(persistTo, async (rows) => {
    const pending = await read(() => pendingMigrations(rows));
    const served = await requestHost(`${url}/health`, {}, NO_EDGE).catch(() => null);
    const health = served && (await read(() => healthOf(rows, { baseUrl: url, edgeAddress: NO_EDGE })));
    return { pending, hasAccounts: await read(() => hasAccounts(rows)), health };
  });
  const known = facts ?? { pending: missing, hasAccounts: missing, health: null };
  return localChecks({ ...known, hasDatabase: facts !== null, url });
}

async function examine(connection: Connection): Promise<Check[]> {
  const { versions, baseUrl } = connection;
  const rows = await read(async () => (await connectDatabases(connection)).rows);
  // Before the images: it stores the file that is asked for there.
  const health = await ofDatabase(rows, (database) => healthOf(database, { baseUrl }));
  return remoteChecks({
    ...(await versionFacts(connection, rows, health)),
    hasAccounts: await ofDatabase(rows, hasAccounts),
    replication: await read(() => replicationOf(connection)),
    crons: await read(() => versions.schedules()),
    expectedCrons: committedConfig().triggers?.crons ?? [],
    deployment: await read(async () => (await versions.deployments())[0] ?? null),
    hosts: await read(() => hostFacts(connection)),
    fallbackOrigin: await read(() => fallbackOriginOf(connection)),
    images: await imagesFact(connection),
  });
}

/** @param health  of the version of the Worker that `connection` has */
async function versionFacts(connection: Connection, rows: Fact<LinksEnv>, health: Fact<Part[]>): Promise<VersionFacts> {
  const { name, deployed } = connection;
  const committed = committedConfig();
  return {
    ...deployed,
    name,
    isNamed: name !== committed.name,
    hasSalts: deployed.salts !== null,
    expectedBindings: expectedBindings(connection),
    knownTags: (committed.migrations ?? []).map(({ tag }) => tag),
    pending: await ofDatabase(rows, pendingMigrations),
    health,
  };
}

async function ofDatabase<T>(rows: Fact<LinksEnv>, work: (rows: LinksEnv) => Promise<T>): Promise<Fact<T>> {
  return rows instanceof Unreadable ? rows : read(() => work(rows));
}

async function read<T>(work: () => Promise<T>): Promise<Fact<T>> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new Unreadable(reason, error instanceof CloudflareApiError && error.isUnavailable);
  }
}

/** What a deployment of this release binds the Worker to. */
function expectedBindings({ name, deployed }: Connection): BindingFact[] {
  const committed = committedConfig();
  const { d1_databases = [], r2_buckets = [], kv_namespaces = [], ratelimits = [], durable_objects } = committed;
  const bound = [
    committed.assets,
    committed.version_metadata,
    ...d1_databases,
    ...(deployed.bucket === null ? [] : r2_buckets),
    ...(deployed.salts === null ? [] : kv_namespaces),
  ];
  const installation = name === committed.name ? null : name;
  return [
    ...bound.flatMap((one) => (one?.binding === undefined ? [] : [{ name: one.binding }])),
    ...linkBindings(deployed.variables).map((binding) => ({ name: binding })),
    ...ratelimits.map((one) => ({ name: one.name, namespace_id: namespaceId(one.namespace_id, installation) })),
    ...(durable_objects?.bindings ?? []).map((one) => ({ name: one.name })),
  ];
}

/** None where the setting is wrong, of which another check tells. */
function linkBindings({ LINK_DATABASES }: Record<string, string>): string[] {
  try {
    return otherDatabaseNames(LINK_DATABASES);
  } catch {
    return [];
  }
}

/** `auto` where every database has it. */
async function replicationOf({ api, account, deployed }: Connection): Promise<string> {
  const bound = databasesOf(deployed);
  if (bound.length === 0) throw new Error("the Worker is bound to no database");
  const modes = bound.map(async ({ id }) => {
    const { read_replication } = await api.get<{ read_replication?: { mode?: string } }>(databasePath(account, id));
    return read_replication?.mode ?? "disabled";
  });
  return (await Promise.all(modes)).find((mode) => mode !== "auto") ?? "auto";
}

async function hostFacts(connection: Connection): Promise<HostFact[]> {
  const { BASE_URL = "", SHORT_DOMAIN = "", TEST_SHORT_DOMAIN = "" } = connection.deployed.variables;
  const hosts = new Set([URL.parse(BASE_URL)?.host ?? "", SHORT_DOMAIN, TEST_SHORT_DOMAIN].filter(isOwnHost));
  if (hosts.size === 0) return [];
  const domains = await workerDomains(connection);
  return Promise.all(
    [...hosts].map(async (hostname) => {
      const domain = domains.find((one) => one.hostname === hostname);
      const fault = await faultOf(`https://${hostname}/`);
      // An answer that says nothing of it is no lack: then the request above is what shows it.
      const hasCertificate = domain?.cert_id === undefined || Boolean(domain.cert_id);
      return { hostname, service: domain?.service ?? null, hasCertificate, fault };
    }),
  );
}

function isOwnHost(host: string): boolean {
  return host !== "" && !host.endsWith(".workers.dev");
}

/** @returns null when there was an answer, whatever it says; a wrong certificate is none */
async function faultOf(url: string): Promise<string | null> {
  try {
    await requestHost(url);
    return null;
  } catch (error) {
    const { message, cause } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}

/** @returns null where the Worker serves images */
async function imagesFact({ deployed, baseUrl }: Connection): Promise<Fact<ImagesFact> | null> {
  const { CDN_URL = "" } = deployed.variables;
  if (CDN_URL === "" || URL.parse(CDN_URL)?.origin === new URL(baseUrl).origin) return null;
  const url = `${CDN_URL.replace(/\/$/, "")}/${IMAGE_PROBE}`;
  return read(async () => {
    const { status, headers } = await requestHost(url);
    return { url, status, missingHeaders: IMAGE_HEADERS.filter((name) => !headers.has(name)) };
  });
}

/** @returns null where the zone has none, or no zone is named */
async function fallbackOriginOf({ api, deployed }: Connection): Promise<FallbackOriginFact | null> {
  const { CF_ZONE_ID = "" } = deployed.variables;
  if (CF_ZONE_ID === "") return null;
  const path = `/zones/${encodeURIComponent(CF_ZONE_ID)}/custom_hostnames/fallback_origin`;
  const found = await api.get<Partial<FallbackOriginFact> | null>(path).catch((error: unknown) => {
    if (error instanceof CloudflareApiError && error.isUnavailable) throw error;
    return unlessUnavailable(error);
  });
  return found?.origin ? { origin: found.origin, status: found.status ?? "active" } : null;
}
