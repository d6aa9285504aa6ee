/** The steps of `npm run setup`, from an account at Cloudflare to a link that was followed. */
import { SETUP_TOKEN_TTL_MS, setupUrl } from "../../core/credentials.ts";
import { hasAccounts } from "../../store/operators/first-account.ts";
import { issueOperatorToken } from "../../store/operators/operator-tokens.ts";
import type { CloudflareApi } from "../cloudflare/api.ts";
import { type CloudAccount, ensureWorkersDevName, hasPaidPlan } from "./cloud-account.ts";
import { connectAccount, rowsOf } from "./connection.ts";
import { deploymentConfig, type Installation, installationNames } from "./config.ts";
import { accountOf, committedConfig, TO_ROOT, writeDeploymentConfig } from "./config-file.ts";
import { deploy, migrate } from "./deploy.ts";
import { type DeployedWorker, readDeployedWorker } from "./deployed-worker.ts";
import {
  allHosts,
  attachDomains,
  findConflicts,
  type Hosts,
  hostsOf,
  hostVariables,
  OVERRIDE_HINT,
} from "./domains.ts";
import { buildFiles, keepEarlierFiles, tolerate } from "./built-files.ts";
import { followNewLink, waitUntilServing } from "./link-check.ts";
import { assertLinksFound, ensureLinkDatabases } from "./link-databases.ts";
import type { SetupOptions } from "./options.ts";
import type { Progress } from "./progress.ts";
import type { Questions } from "./questions.ts";
import { enableReplication, ensureBucket, ensureDatabase, ensureIconsExpire, type Made } from "./resources.ts";
import { ensureSalts } from "./visitor-salts.ts";
import { EXIT, SetupError } from "./setup-error.ts";

const SECRET = "BETTER_AUTH_SECRET";

export interface Outcome {
  url: string;
  /** Where the first account is made; null when there is one. */
  setup_url: string | null;
  /** The short URL that was followed. */
  link: string;
}

export async function setUp(options: SetupOptions, progress: Progress, questions: Questions): Promise<Outcome> {
  const hosts = hostsOf(options.domain, options.testDomain);
  const committed = committedConfig();
  const names = installationNames(committed, options);
  const { api, account } = await connectAccount(accountOf(names.name), progress, questions);
  const choice = { wanted: options.workersDev, worker: names.name, mayChoose: options.yes === true };
  const workersDev = await progress.step(
    "Name under workers.dev",
    () => ensureWorkersDevName(api, account, choice, questions),
    (name) => name,
  );
  const deployed = await progress.step(
    `Worker ${names.name}`,
    () => readDeployedWorker(api, account, names.name),
    (found) => (found ? "is deployed" : "is new"),
  );
  if (!options.r2 && deployed?.bucket) throw new SetupError(imagesWouldBeLost(deployed.bucket));
  const setting = options.var?.["LINK_DATABASES"] ?? deployed?.variables.LINK_DATABASES;
  assertLinksFound(deployed?.variables ?? { LINK_DATABASES: setting }, { LINK_DATABASES: setting });
  const mayOverride =
    hosts !== null && (await settleConflicts(api, account, names.name, hosts, options, progress, questions));

  const database = await progress.step(
    `Database ${names.database}`,
    () => ensureDatabase(api, account, names.database),
    madeOrFound,
  );
  await tolerate(progress, "reads are not served by replicas", () => enableReplication(api, account, database));
  const linkDatabases = await ensureLinkDatabases(api, account, { setting, home: names.database, deployed }, progress);
  const bucket = options.r2 ? await ensureImages(api, account, deployed?.bucket ?? names.bucket, progress) : null;
  const salts = deployed?.salts ?? (await ensureSalts(api, account, names.salts, progress));

  const installation: Installation = {
    account: account.id,
    name: names.name,
    database,
    linkDatabases,
    bucket,
    salts,
    hasPaidPlan: (await hasPaidPlan(api, account)) ?? true,
    variables: { ...(hosts && hostVariables(hosts, deployed?.variables ?? {})), ...options.var },
  };
  const baseUrl =
    installation.variables.BASE_URL ||
    deployed?.variables.BASE_URL ||
    `https://${names.name}.${workersDev}.workers.dev`;
  if (!options.skipBuild) await progress.step("Dashboard and documentation", buildFiles, () => "built");
  if (deployed) await keepEarlierFiles(baseUrl, progress);
  await upload(installation, account, deployed, baseUrl, progress);
  if (hosts)
    await progress.step(
      "Domains",
      () => attachDomains(api, account, names.name, allHosts(hosts), mayOverride),
      () => allHosts(hosts).join(", "),
    );

  await progress.step(
    "First response",
    () => waitUntilServing(baseUrl, (text) => progress.note(`    ${text}`)),
    () => baseUrl,
  );
  const rows = rowsOf(api, account, setting, [{ ...database, binding: "DB" }, ...linkDatabases]);
  const link = await progress.step(
    "Link made, followed and deleted",
    () => followNewLink(rows, baseUrl),
    (url) => url,
  );
  const setupAddress = await progress.step(
    "First account",
    async () =>
      (await hasAccounts(rows))
        ? null
        : setupUrl(baseUrl, await issueOperatorToken(rows, "setup", SETUP_TOKEN_TTL_MS, Date.now())),
    (address) => (address === null ? "there is one" : "to be made"),
  );
  return { url: baseUrl, setup_url: setupAddress, link };
}

/** @returns whether the hosts may be taken from what they lead to now */
async function settleConflicts(
  api: CloudflareApi,
  account: CloudAccount,
  worker: string,
  hosts: Hosts,
  options: SetupOptions,
  progress: Progress,
  questions: Questions,
): Promise<boolean> {
  const conflicts = await progress.step(
    "Hosts",
    () => findConflicts(api, account, worker, allHosts(hosts)),
    (found) => (found.length === 0 ? "free, or this Worker's already" : "lead elsewhere now"),
  );
  for (const conflict of conflicts) progress.warn(conflict);
  if (options.overrideDns) return true;
  if (conflicts.length === 0) return false;
  const agreed = await questions.confirm("Let the hosts lead to this Worker instead? The records are replaced.");
  if (agreed) return true;
  throw new SetupError(`${conflicts.join("; ")}. Nothing was changed. ${OVERRIDE_HINT}`, EXIT.questionOpen);
}

/** @returns the bucket's name, or null without R2 */
async function ensureImages(
  api: CloudflareApi,
  account: CloudAccount,
  name: string,
  progress: Progress,
): Promise<string | null> {
  const bucket = await progress.step(
    `Bucket ${name}`,
    () => ensureBucket(api, account, name),
    (made) => (made ? madeOrFound(made) : "without R2, images are kept in objects"),
  );
  if (!bucket) return null;
  await tolerate(progress, "icons in the bucket do not expire", () => ensureIconsExpire(api, account, name));
  return name;
}

async function upload(
  installation: Installation,
  account: CloudAccount,
  deployed: DeployedWorker | null,
  baseUrl: string,
  progress: Progress,
): Promise<void> {
  const write = (hasPaid: boolean) =>
    writeDeploymentConfig(
      deploymentConfig(committedConfig(), { ...installation, hasPaidPlan: hasPaid }, TO_ROOT),
      baseUrl,
    );
  const config = write(installation.hasPaidPlan);
  const withSecret = !deployed?.secrets.has(SECRET);
  await progress.step(
    "Migrations",
    () => migrate(config, account.id, ["DB", ...installation.linkDatabases.map(({ binding }) => binding)]),
    () => "applied",
  );
  await progress.step(
    "Deployment",
    async () => {
      if (await deploy(config, account.id, withSecret)) return;
      if (!(await deploy(write(false), account.id, withSecret))) throw new SetupError("Cloudflare refuses CPU limits.");
    },
    () => (withSecret ? "with a new secret for sessions" : "the secret stays"),
  );
}

function imagesWouldBeLost(bucket: string): string {
  return `The Worker keeps images in the bucket ${bucket}, which would not be found without it: --no-r2 is for a deployment that never had one. Nothing was changed.`;
}

function madeOrFound({ isNew }: Made): string {
  return isNew ? "made" : "found";
}
