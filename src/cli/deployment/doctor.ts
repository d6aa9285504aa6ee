/**
 * What `admin doctor` finds out about a deployment, or about the development database and its server. What cannot be read
 * is a fact as well, so that one missing permission does not hide the rest. Writes nothing but a token for `/health?deep`.
 */
import { hasAccounts } from "../../store/operators/first-account.ts";
import { issueOperatorToken } from "../../store/operators/operator-tokens.ts";
import { pendingMigrations } from "../../store/operators/migrations.ts";
import { CloudflareApiError } from "../cloudflare/api.ts";
import { withLocalDatabaseAsItIs } from "../database.ts";
import { type BindingFact, type HostFact, type ImagesFact, remoteChecks, type RemoteFacts } from "./checks.ts";
import { type Check, Unreadable } from "./check.ts";
import { localChecks } from "./local-checks.ts";
import { deploymentConfig } from "./config.ts";
import { committedConfig, TO_ROOT } from "./config-file.ts";
import { connect, connectDatabase, type Connection } from "./connection.ts";
import { NO_EDGE, requestHost } from "./host-request.ts";
import { Progress } from "./progress.ts";
import { isInteractive, NOBODY_TO_ASK, TERMINAL } from "./questions.ts";
import { CHECK_TOKEN_TTL_MS, parseHealth, requestHealth } from "./version-check.ts";

type Rows = Pick<Env, "DB">;

/** The health check stores a file of this name. */
const IMAGE_PROBE = "health";
/** Of images that a domain of the bucket serves; R2 cannot keep them. */
const IMAGE_HEADERS = ["X-Content-Type-Options", "Access-Control-Allow-Origin"];
const BINDING_LISTS = ["d1_databases", "r2_buckets", "ratelimits"] as const;

/** @throws SetupError when there is no such Worker */
export async function examineRemote(): Promise<Check[]> {
  const progress = new Progress(process.stderr);
  const connection = await connect(undefined, progress, isInteractive() ? TERMINAL : NOBODY_TO_ASK);
  return remoteChecks(await progress.step("Checks", () => remoteFacts(connection)));
}

/** @param url  of the development server, where one runs */
export async function examineLocal(persistTo: string | undefined, url: string): Promise<Check[]> {
  const missing = new Unreadable("there is no database", false);
  const facts = await withLocalDatabaseAsItIs(persistTo, async (rows) => {
    const pending = await read(() => pendingMigrations(rows));
    const served = await requestHost(`${url}/health`, {}, NO_EDGE).catch(() => null);
    const health = served && (await read(() => healthOf(rows, url, NO_EDGE)));
    return { pending, hasAccounts: await read(() => hasAccounts(rows)), health };
  });
  const known = facts ?? { pending: missing, hasAccounts: missing, health: null };
  return localChecks({ ...known, hasDatabase: facts !== null, url });
}

async function remoteFacts(connection: Connection): Promise<RemoteFacts> {
  const { api, account, name, deployed, versions, baseUrl } = connection;
  const { crons = [] } = committedConfig().triggers ?? {};
  const database = await read(() => connectDatabase(connection));
  const ofDatabase = async <T>(work: (rows: Rows) => Promise<T>) =>
    database instanceof Unreadable ? database : read(() => work(database.rows));
  const script = `/accounts/${account.id}/workers/scripts/${name}`;
  // Before the images: it stores the file that is asked for there.
  const health = await ofDatabase((rows) => healthOf(rows, baseUrl));
  return {
    name,
    isNamed: name !== committedConfig().name,
    variables: deployed.variables,
    secrets: deployed.secrets,
    bindings: deployed.bindings,
    expectedBindings: expectedBindings(connection),
    migrationTag: deployed.migrationTag,
    knownTags: (committedConfig().migrations ?? []).map(({ tag }) => tag),
    pending: await ofDatabase(pendingMigrations),
    hasAccounts: await ofDatabase(hasAccounts),
    replication: await read(() => replicationOf(connection)),
    crons: await read(async () => {
      const { schedules } = await api.get<{ schedules: { cron: string }[] }>(`${script}/schedules`);
      return schedules.map(({ cron }) => cron);
    }),
    expectedCrons: crons ?? [],
    deployment: await read(async () => (await versions.deployments())[0] ?? null),
    hosts: await read(() => hostFacts(connection)),
    bucket: deployed.bucket,
    images: await imagesFact(connection),
    health,
  };
}

async function read<T>(work: () => Promise<T>): Promise<T | Unreadable> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new Unreadable(reason, error instanceof CloudflareApiError && error.isUnavailable);
  }
}

/** What a deployment of this release binds the Worker to. */
function expectedBindings({ name, deployed }: Connection): BindingFact[] {
  const { bucket, variables } = deployed;
  const installation = { name, bucket, variables, database: { name, id: "" }, hasPaidPlan: false };
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

async function replicationOf({ api, account, deployed }: Connection): Promise<string> {
  const id = deployed.bindings.find(({ type, name }) => type === "d1" && name === "DB")?.id;
  if (id === undefined) throw new Error("the Worker is bound to no database");
  const { read_replication } = await api.get<{ read_replication?: { mode?: string } }>(
    `/accounts/${account.id}/d1/database/${id}`,
  );
  return read_replication?.mode ?? "disabled";
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

/** @throws Error when there is no report */
async function healthOf(rows: Rows, baseUrl: string, edgeAddress?: string) {
  const token = await issueOperatorToken(rows, "operator", CHECK_TOKEN_TTL_MS, Date.now());
  const reply = await requestHealth(baseUrl, token, {}, edgeAddress);
  const report = parseHealth(reply);
  if (!report) throw new Error(`${baseUrl}/health?deep answers ${reply?.status ?? "not at all"}`);
  return report.checks;
}
