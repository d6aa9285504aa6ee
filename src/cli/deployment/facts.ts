/**
 * What the doctor finds out about a deployment. What cannot be read is a fact as well, so that one missing permission does
 * not hide the rest. Writes nothing but a token for `/health?deep`.
 */
import { hasAccounts } from "../../store/operators/first-account.ts";
import { pendingMigrations } from "../../store/operators/migrations.ts";
import type { LinksEnv } from "../../store/links/links-database.ts";
import { CloudflareApiError } from "../cloudflare/api.ts";
import { otherDatabaseNames } from "../link-databases.ts";
import type { HostFact, ImagesFact, RemoteFacts } from "./checks.ts";
import { type Fact, type Part, Unreadable } from "./check.ts";
import { deploymentConfig, type Installation } from "./config.ts";
import { committedConfig, TO_ROOT } from "./config-file.ts";
import { connectDatabases, type Connection, databasePath, databasesOf } from "./connection.ts";
import type { FallbackOriginFact } from "./customers-check.ts";
import { healthOf } from "./health.ts";
import { requestHost } from "./host-request.ts";
import type { BindingFact, VersionFacts } from "./version-checks.ts";

type Rows = LinksEnv;

/** The health check stores a file of this name. */
const IMAGE_PROBE = "health";
/** Of images that a domain of the bucket serves; R2 cannot keep them. */
const IMAGE_HEADERS = ["X-Content-Type-Options", "Access-Control-Allow-Origin"];
const BINDING_LISTS = ["d1_databases", "r2_buckets", "kv_namespaces", "ratelimits"] as const;

/** @param health  of the version of the Worker that `connection` has */
export async function versionFacts(
  connection: Connection,
  rows: Fact<Rows>,
  health: Fact<Part[]>,
): Promise<VersionFacts> {
  const { name, deployed } = connection;
  return {
    name,
    isNamed: name !== committedConfig().name,
    bucket: deployed.bucket,
    hasSalts: deployed.salts !== null,
    variables: deployed.variables,
    secrets: deployed.secrets,
    bindings: deployed.bindings,
    expectedBindings: expectedBindings(connection),
    migrationTag: deployed.migrationTag,
    knownTags: (committedConfig().migrations ?? []).map(({ tag }) => tag),
    pending: await ofDatabase(rows, pendingMigrations),
    health,
  };
}

export async function remoteFacts(connection: Connection): Promise<RemoteFacts> {
  const { api, account, name, versions, baseUrl } = connection;
  const { crons = [] } = committedConfig().triggers ?? {};
  const rows = await read(async () => (await connectDatabases(connection)).rows);
  // Before the images: it stores the file that is asked for there.
  const health = await ofDatabase(rows, (database) => healthOf(database, { baseUrl }));
  const script = `/accounts/${account.id}/workers/scripts/${name}`;
  return {
    ...(await versionFacts(connection, rows, health)),
    hasAccounts: await ofDatabase(rows, hasAccounts),
    replication: await read(() => replicationOf(connection)),
    crons: await read(async () => {
      const { schedules } = await api.get<{ schedules: { cron: string }[] }>(`${script}/schedules`);
      return schedules.map(({ cron }) => cron);
    }),
    expectedCrons: crons ?? [],
    deployment: await read(async () => (await versions.deployments())[0] ?? null),
    hosts: await read(() => hostFacts(connection)),
    fallbackOrigin: await read(() => fallbackOriginOf(connection)),
    images: await imagesFact(connection),
  };
}

async function ofDatabase<T>(rows: Fact<Rows>, work: (rows: Rows) => Promise<T>): Promise<Fact<T>> {
  return rows instanceof Unreadable ? rows : read(() => work(rows));
}

export async function read<T>(work: () => Promise<T>): Promise<T | Unreadable> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new Unreadable(reason, error instanceof CloudflareApiError && error.isUnavailable);
  }
}

/** What a deployment of this release binds the Worker to. */
function expectedBindings({ account, name, deployed }: Connection): BindingFact[] {
  const { bucket, salts, variables } = deployed;
  const database = { name, id: "" };
  const linkDatabases = linkBindings(variables).map((binding) => ({ binding, name: binding, id: "" }));
  const installation: Installation = {
    account: account.id,
    name,
    database,
    linkDatabases,
    bucket,
    salts,
    variables,
    hasPaidPlan: false,
  };
  const config = deploymentConfig(committedConfig(), installation, TO_ROOT);
  const single = [config.assets, config.version_metadata];
  const listed = BINDING_LISTS.flatMap((list): { binding?: string; name?: string; namespace_id?: string }[] => [
    ...(config[list] ?? []),
  ]);
  return [...single, ...listed, ...(config.durable_objects?.bindings ?? [])].flatMap((one) => {
    const { binding, name: own, namespace_id } = { ...one } as Record<string, string | undefined>;
    const bound = binding ?? own;
    return bound === undefined ? [] : [{ name: bound, namespace_id }];
  });
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

async function hostFacts({ api, account, deployed }: Connection): Promise<HostFact[]> {
  const { BASE_URL = "", SHORT_DOMAIN = "", TEST_SHORT_DOMAIN = "" } = deployed.variables;
  const hosts = new Set([URL.parse(BASE_URL)?.host ?? "", SHORT_DOMAIN, TEST_SHORT_DOMAIN].filter(isOwnHost));
  if (hosts.size === 0) return [];
  const domains = await api.get<{ hostname: string; service: string; cert_id?: string | null }[]>(
    `/accounts/${account.id}/workers/domains`,
  );
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
async function imagesFact({ deployed, baseUrl }: Connection): Promise<ImagesFact | Unreadable | null> {
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
    if (error instanceof CloudflareApiError && error.status === 404 && !error.isUnavailable) return null;
    throw error;
  });
  return found?.origin ? { origin: found.origin, status: found.status ?? "active" } : null;
}
