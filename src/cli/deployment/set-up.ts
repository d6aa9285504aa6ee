/** The steps of `npm run setup`, from choosing a Cloudflare account to following a test link. */
import { isWorkersDev } from "../../core/deployment/settings.ts";
import { SETUP_TOKEN_TTL_MS, setupUrl } from "../../core/identifiers.ts";
import { hasAccounts } from "../../store/operators/first-account.ts";
import { pendingMigrations } from "../../store/operators/migrations.ts";
import { issueOperatorToken } from "../../store/operators/operator-tokens.ts";
import { EXIT, SetupError } from "../command.ts";
import { type CloudConnection, connectAccount, ensureWorkersDevName, hasPaidPlan } from "./account.ts";
import { installationNames } from "./config.ts";
import { accountOf, committedConfig, writeDeploymentConfig } from "./config-file.ts";
import { rowsOf, workersDevUrl } from "./connection.ts";
import { deploy, migrate, prepareFiles } from "./deploy.ts";
import type { Dialog } from "./dialog.ts";
import { attachDomains, checkPlainHttp, findConflicts, hostsOf, hostVariables, OVERRIDE_HINT } from "./domains.ts";
import { followNewLink, waitUntilServing } from "./health.ts";
import type { SetupOptions } from "./options.ts";
import { assertLinksFound, ensureBucket, ensureDatabases, ensureSalts } from "./resources.ts";
import { readDeployedWorker } from "./versions.ts";

const SECRET = "BETTER_AUTH_SECRET";

export interface Outcome {
  url: string;
  /** The URL for creating the first account; null if an account exists. */
  setup_url: string | null;
  /** The short URL that was followed. */
  link: string;
}

/** @param connected  the account, for a command that has already chosen it */
export async function setUp(options: SetupOptions, dialog: Dialog, connected?: CloudConnection): Promise<Outcome> {
  const hosts = hostsOf(options.domain, options.testDomain);
  const names = installationNames(committedConfig(), options.name);
  const { name } = names;
  const cloud = connected ?? (await connectAccount(accountOf(name), dialog));
  const ensureName = () => ensureWorkersDevName(cloud, name, options, dialog);
  const workersDev = await dialog.step("workers.dev subdomain", ensureName, (found) => found);
  const readWorker = () => readDeployedWorker(cloud, name);
  const deployed = await dialog.step(`Worker ${name}`, readWorker, (found) => (found ? "deployed" : "new"));
  if (!options.r2 && deployed?.bucket)
    throw new SetupError(
      `The Worker stores images in the bucket ${deployed.bucket}, and would not find them without it. Use --no-r2 only for a deployment that never had a bucket. Nothing was changed.`,
    );
  const setting = options.var?.["LINK_DATABASES"] ?? deployed?.variables.LINK_DATABASES;
  assertLinksFound(deployed?.variables ?? { LINK_DATABASES: setting }, { LINK_DATABASES: setting });
  const mayOverride = hosts.length > 0 && (await settleConflicts(cloud, name, hosts, options, dialog));

  const wanted = options.region;
  const { databases, region } = await ensureDatabases(cloud, names.database, { setting, deployed, wanted }, dialog);
  const bucket = options.r2 ? await ensureBucket(cloud, deployed?.bucket ?? names.bucket, region, dialog) : null;
  const salts = deployed?.salts ?? (await ensureSalts(cloud, names.salts, dialog));
  const present = deployed?.variables ?? {};
  const placement: Record<string, string> = region && !present["REGION"] ? { REGION: region } : {};
  const variables = { ...hostVariables(hosts, present), ...placement, ...options.var };
  const baseUrl = variables["BASE_URL"] || deployed?.variables.BASE_URL || workersDevUrl(name, workersDev);
  await prepareFiles(deployed && baseUrl, options.skipBuild === true, dialog);
  const isPaid = (await hasPaidPlan(cloud)) ?? true;
  const installation = { account: cloud.account.id, name, databases, bucket, salts, variables, hasPaidPlan: isPaid };
  const rows = rowsOf(cloud, setting, databases);
  const config = writeDeploymentConfig(installation, baseUrl);
  // Checked here, because wrangler takes seconds even if none is missing.
  const pending = deployed && (await pendingMigrations(rows).catch(() => null));
  if (pending?.length !== 0) await migrate(config, databases, dialog);
  const withSecret = !deployed?.secrets.has(SECRET);
  const secret = withSecret ? "with a new session secret" : "session secret kept";
  await dialog.step("Deployment", () => deploy(installation, baseUrl, withSecret), secret);
  if (hosts.length > 0)
    await dialog.step("Domains", () => attachDomains(cloud, name, hosts, mayOverride), hosts.join(", "));

  await waitUntilServing(baseUrl, dialog);
  const { hostname } = new URL(baseUrl);
  if (!isWorkersDev(hostname)) await checkPlainHttp(cloud, hostname, dialog);
  const link = await followNewLink(rows, { baseUrl }, dialog);
  const offerAccount = async () => {
    if (await hasAccounts(rows)) return null;
    return setupUrl(baseUrl, await issueOperatorToken(rows, "setup", SETUP_TOKEN_TTL_MS, Date.now()));
  };
  const describe = (url: string | null) => (url === null ? "exists" : "not created yet");
  return { url: baseUrl, setup_url: await dialog.step("First account", offerAccount, describe), link };
}

/** @returns whether the current targets of the hosts may be replaced */
async function settleConflicts(
  cloud: CloudConnection,
  worker: string,
  hosts: readonly string[],
  { overrideDns }: SetupOptions,
  dialog: Dialog,
): Promise<boolean> {
  const conflicts = await dialog.step(
    "Hosts",
    () => findConflicts(cloud, worker, hosts),
    (found) => (found.length === 0 ? "available, or already this Worker's" : "currently point elsewhere"),
  );
  for (const conflict of conflicts) dialog.warn(conflict);
  if (overrideDns) return true;
  if (conflicts.length === 0) return false;
  if (await dialog.confirm("Point the hosts to this Worker instead? This replaces the records.")) return true;
  throw new SetupError(`${conflicts.join("; ")}. Nothing was changed. ${OVERRIDE_HINT}`, EXIT.questionOpen);
}
