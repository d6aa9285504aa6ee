/** The steps of `npm run setup`, from an account at Cloudflare to a link that was followed. */
import { SETUP_TOKEN_TTL_MS, setupUrl } from "../../core/credentials.ts";
import { hasAccounts } from "../../store/operators/first-account.ts";
import { issueOperatorToken } from "../../store/operators/operator-tokens.ts";
import { type CloudConnection, connectAccount, ensureWorkersDevName, hasPaidPlan } from "./account.ts";
import { rowsOf } from "./connection.ts";
import { deploymentConfig, type Installation, installationNames } from "./config.ts";
import { accountOf, committedConfig, writeDeploymentConfig } from "./config-file.ts";
import { deploy, migrate, prepareFiles } from "./deploy.ts";
import { readDeployedWorker } from "./deployed-worker.ts";
import type { Dialog } from "./dialog.ts";
import { allHosts, attachDomains, findConflicts, hostsOf, hostVariables, OVERRIDE_HINT } from "./domains.ts";
import { followNewLink, waitUntilServing } from "./link-check.ts";
import type { SetupOptions } from "./options.ts";
import { assertLinksFound, ensureBucket, ensureDatabases, ensureSalts } from "./resources.ts";
import { EXIT, SetupError } from "./setup-error.ts";

const SECRET = "BETTER_AUTH_SECRET";

export interface Outcome {
  url: string;
  /** Where the first account is made; null when there is one. */
  setup_url: string | null;
  /** The short URL that was followed. */
  link: string;
}

export async function setUp(options: SetupOptions, dialog: Dialog): Promise<Outcome> {
  const hosts = hostsOf(options.domain, options.testDomain);
  const ownHosts = hosts ? allHosts(hosts) : [];
  const names = installationNames(committedConfig(), options.name);
  const cloud = await connectAccount(accountOf(names.name), dialog);
  const choice = { wanted: options.workersDev, worker: names.name, mayChoose: options.yes === true };
  const workersDev = await dialog.step(
    "Name under workers.dev",
    () => ensureWorkersDevName(cloud, choice, dialog),
    (name) => name,
  );
  const deployed = await dialog.step(
    `Worker ${names.name}`,
    () => readDeployedWorker(cloud, names.name),
    (found) => (found ? "is deployed" : "is new"),
  );
  if (!options.r2 && deployed?.bucket) throw new SetupError(imagesWouldBeLost(deployed.bucket));
  const setting = options.var?.["LINK_DATABASES"] ?? deployed?.variables.LINK_DATABASES;
  assertLinksFound(deployed?.variables ?? { LINK_DATABASES: setting }, { LINK_DATABASES: setting });
  const mayOverride = hosts !== null && (await settleConflicts(cloud, names.name, ownHosts, options, dialog));

  const databases = await ensureDatabases(cloud, names.database, { setting, deployed }, dialog);
  const bucket = options.r2 ? await ensureBucket(cloud, deployed?.bucket ?? names.bucket, dialog) : null;
  const salts = deployed?.salts ?? (await ensureSalts(cloud, names.salts, dialog));
  const variables = { ...(hosts && hostVariables(hosts, deployed?.variables ?? {})), ...options.var };
  const baseUrl =
    variables["BASE_URL"] || deployed?.variables.BASE_URL || `https://${names.name}.${workersDev}.workers.dev`;
  await prepareFiles(deployed && baseUrl, options.skipBuild === true, dialog);
  const { name } = names;
  const installation = { account: cloud.account.id, name, databases, bucket, salts, variables };
  const hasPaid = (await hasPaidPlan(cloud)) ?? true;
  await upload({ ...installation, hasPaidPlan: hasPaid }, !deployed?.secrets.has(SECRET), baseUrl, dialog);
  if (hosts)
    await dialog.step(
      "Domains",
      () => attachDomains(cloud, name, ownHosts, mayOverride),
      () => ownHosts.join(", "),
    );

  await waitUntilServing(baseUrl, dialog);
  const rows = rowsOf(cloud, setting, databases);
  const link = await followNewLink(rows, { baseUrl }, dialog);
  const address = await dialog.step(
    "First account",
    async () =>
      (await hasAccounts(rows))
        ? null
        : setupUrl(baseUrl, await issueOperatorToken(rows, "setup", SETUP_TOKEN_TTL_MS, Date.now())),
    (found) => (found === null ? "there is one" : "to be made"),
  );
  return { url: baseUrl, setup_url: address, link };
}

/** @returns whether the hosts may be taken from what they lead to now */
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
    (found) => (found.length === 0 ? "free, or this Worker's already" : "lead elsewhere now"),
  );
  for (const conflict of conflicts) dialog.warn(conflict);
  if (overrideDns) return true;
  if (conflicts.length === 0) return false;
  if (await dialog.confirm("Let the hosts lead to this Worker instead? The records are replaced.")) return true;
  throw new SetupError(`${conflicts.join("; ")}. Nothing was changed. ${OVERRIDE_HINT}`, EXIT.questionOpen);
}

async function upload(installation: Installation, withSecret: boolean, baseUrl: string, dialog: Dialog): Promise<void> {
  const write = (hasPaid: boolean) =>
    writeDeploymentConfig(deploymentConfig(committedConfig(), { ...installation, hasPaidPlan: hasPaid }), baseUrl);
  const config = write(installation.hasPaidPlan);
  await migrate(config, installation.databases, dialog);
  await dialog.step(
    "Deployment",
    async () => {
      if (await deploy(config, withSecret)) return;
      if (!(await deploy(write(false), withSecret))) throw new SetupError("Cloudflare refuses CPU limits.");
    },
    () => (withSecret ? "with a new secret for sessions" : "the secret stays"),
  );
}

function imagesWouldBeLost(bucket: string): string {
  return `The Worker keeps images in the bucket ${bucket}, which would not be found without it: --no-r2 is for a deployment that never had one. Nothing was changed.`;
}
