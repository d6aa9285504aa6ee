/**
 * The steps of `npm run upgrade`: migrates the databases, gives the new version a small share of the visitors, checks it
 * with requests that are pinned to it, then gives it all, or goes back to the version before.
 */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { MIGRATIONS, pendingMigrations } from "../../store/operators/migrations.ts";
import { statementsThatTakeAway } from "./additive-migrations.ts";
import { type Check, formatChecks } from "./check.ts";
import { buildFiles, keepEarlierFiles, tolerate } from "./built-files.ts";
import { hasPaidPlan } from "./cloud-account.ts";
import { deploymentConfig, installationNames } from "./config.ts";
import { committedConfig, TO_ROOT, writeDeploymentConfig } from "./config-file.ts";
import { connect, connectDatabases, type Connection, type RemoteDatabases } from "./connection.ts";
import { deploy, migrate, uploadVersion } from "./deploy.ts";
import { examineAgain, examineVersion } from "./doctor.ts";
import { pinTo, type WaitOptions } from "./health.ts";
import { Interruption } from "./interruption.ts";
import { followNewLink } from "./link-check.ts";
import type { Progress } from "./progress.ts";
import type { Questions } from "./questions.ts";
import { restoreCommand } from "./roll-back.ts";
import { SetupError } from "./setup-error.ts";
import { ensureSalts } from "./visitor-salts.ts";
import { allTo, mainVersion, NEW_SHARE_PERCENT, newVersion, shareOf } from "./shares.ts";

const MIGRATIONS_FOLDER = resolve(import.meta.dirname, "../../../migrations");
const ALL_PERCENT = 100;
/** Objects may run the code before a deployment for five minutes. */
const OBJECTS_FOLLOW_MS = 330_000;

export interface UpgradeOptions {
  name?: string | undefined;
  /** Leaves the new version at its small share. */
  hold?: boolean | undefined;
  /** Goes on with a version that was left there. */
  continue?: boolean | undefined;
  skipBuild?: boolean | undefined;
}

export interface UpgradeOutcome {
  url: string;
  version: string;
  /** The one before. */
  before: string;
  /** How many visitors the new version gets. */
  percentage: number;
  /** The database's, before it was migrated; null where it was not told. */
  bookmark: string | null;
  /** The short URL that was followed. */
  link: string;
}

export async function upgrade(
  options: UpgradeOptions,
  progress: Progress,
  questions: Questions,
): Promise<UpgradeOutcome> {
  const connection = await connect(options.name, progress, questions);
  const databases = await connectDatabases(connection);
  const [present] = await connection.versions.deployments();
  const before = present && mainVersion(present);
  if (!before) throw new SetupError("The Worker has never been deployed: run `npm run setup`.");
  if (options.continue) {
    const version = newVersion(present);
    if (version === null) throw new SetupError("No upgrade is under way: run `npm run upgrade`.");
    const link = await giveShare(connection, databases, { version, before, share: NEW_SHARE_PERCENT }, progress);
    return finish(connection, progress, { url: connection.baseUrl, version, before, bookmark: null, link });
  }

  await progress.step("Migrations only add", () => assertAdditive(databases), describePending);
  const bookmark = await tolerate(progress, "the database's bookmark is not known", () =>
    progress.step("Bookmark of the database", databases.all[0].bookmark, (text) => text),
  );
  if (!options.skipBuild) await progress.step("Dashboard and documentation", buildFiles, () => "built");
  await keepEarlierFiles(connection.baseUrl, progress);
  const hasPaid = (await hasPaidPlan(connection.api, connection.account)) ?? connection.deployed.hasLimits;
  const share = firstShare(hasPaid, options, progress);
  const { salts: title } = installationNames(committedConfig(), { name: connection.name });
  const salts = connection.deployed.salts ?? (await ensureSalts(connection.api, connection.account, title, progress));
  const config = writeConfig(connection, databases, salts, hasPaid);
  const bindings = databases.all.map(({ binding }) => binding);
  await progress.step(
    "Migrations",
    () => migrate(config, connection.account.id, bindings),
    () => "applied",
  );

  if (needsWholeDeployment(connection)) return deployWhole(connection, databases, config, before, bookmark, progress);
  const version = await progress.step(
    "Upload",
    () => uploadVersion(config, connection.account.id, versionMessage(bookmark)),
    (id) => `version ${id}`,
  );
  const link = await giveShare(connection, databases, { version, before, share }, progress);
  const outcome = { url: connection.baseUrl, version, before, bookmark, link };
  return options.hold && share < ALL_PERCENT
    ? { ...outcome, percentage: share }
    : finish(connection, progress, outcome);
}

/** @throws SetupError when the release that runs meanwhile could not go on with the database */
async function assertAdditive({ rows }: RemoteDatabases): Promise<string[]> {
  const lacking = (await pendingMigrations(rows)).flatMap(({ pending }) => pending);
  const pending = MIGRATIONS.filter((name) => lacking.includes(name));
  const files = await Promise.all(pending.map((name) => readFile(join(MIGRATIONS_FOLDER, name), "utf8")));
  const found = statementsThatTakeAway(files.join(";\n"));
  if (found.length === 0) return pending;
  throw new SetupError(
    `${pending.join(", ")}: these statements would break the release that runs meanwhile: ${found.join("; ")}. Nothing was changed. To stop serving for the time of a deployment is up to you: \`npm run setup\` migrates and deploys at once.`,
  );
}

function describePending(pending: readonly string[]): string {
  return pending.length === 0 ? `all ${MIGRATIONS.length} are applied` : pending.join(", ");
}

/** The configuration of this release, with what the deployed Worker is bound to. */
function writeConfig(
  { account, name: worker, deployed, baseUrl }: Connection,
  databases: RemoteDatabases,
  salts: string | null,
  hasPaid: boolean,
) {
  const [home, ...linkDatabases] = databases.all;
  const installation = {
    account: account.id,
    name: worker,
    database: home,
    linkDatabases,
    bucket: deployed.bucket,
    salts,
    hasPaidPlan: hasPaid,
    variables: {},
  };
  return writeDeploymentConfig(deploymentConfig(committedConfig(), installation, TO_ROOT), baseUrl);
}

/** On Workers' Free plan objects answer for the service, and no request says which version of them it is for. */
function firstShare(hasPaid: boolean, { hold }: UpgradeOptions, progress: Progress): number {
  if (hasPaid) return NEW_SHARE_PERCENT;
  if (hold) progress.warn("--hold needs Workers' Paid plan: all visitors get the new version, or none");
  return ALL_PERCENT;
}

/** New classes of objects begin for all visitors at once: Cloudflare applies them with no share of a deployment. */
function needsWholeDeployment({ deployed }: Connection): boolean {
  const { migrations = [] } = committedConfig();
  return migrations.at(-1)?.tag !== (deployed.migrationTag ?? undefined);
}

async function deployWhole(
  connection: Connection,
  databases: RemoteDatabases,
  config: string,
  before: string,
  bookmark: string | null,
  progress: Progress,
): Promise<UpgradeOutcome> {
  const { account, baseUrl, versions } = connection;
  progress.warn("this release has new classes of objects, which cannot begin with a share of the visitors");
  await progress.step("Deployment", async () => {
    if (!(await deploy(config, account.id, false))) throw new SetupError("Cloudflare refuses CPU limits.");
  });
  const [present] = await versions.deployments();
  const version = (present && mainVersion(present)) ?? "";
  const link = await checkVersion(connection, databases, version, { spreadsMs: OBJECTS_FOLLOW_MS }, progress).catch(
    (error: unknown) => {
      throw new SetupError(
        `The new version failed: ${textOf(error)}\nCloudflare does not go back across new classes of objects: repair forward.${restoreHint(databases, bookmark, present?.created_on ?? "")}`,
      );
    },
  );
  return { url: baseUrl, version, before, percentage: ALL_PERCENT, bookmark, link };
}

interface Step {
  version: string;
  before: string;
  /** Percent of the visitors that the version gets until it was checked. */
  share: number;
}

/** @returns the short URL that was followed @throws SetupError after the version before has all visitors again */
async function giveShare(
  connection: Connection,
  databases: RemoteDatabases,
  { version, before, share }: Step,
  progress: Progress,
): Promise<string> {
  const { versions } = connection;
  const isWhole = share === ALL_PERCENT;
  const interruption = new Interruption();
  const waiting = { signal: interruption.signal, ...(isWhole ? { spreadsMs: OBJECTS_FOLLOW_MS } : {}) };
  try {
    await progress.step(`${share} % of the visitors`, () =>
      versions.deploy(isWhole ? allTo(version) : shareOf(version, share, before), "Upgrade: to be checked"),
    );
    const checked = checkVersion(connection, databases, version, waiting, progress);
    return await Promise.race([checked, interruption.promise]);
  } catch (error) {
    await progress.step("Back to the version before", () => versions.deploy(allTo(before), "Upgrade: taken back"));
    throw new SetupError(
      `The new version failed: ${textOf(error)}\nAll visitors get the version before, ${before}, which works with the migrated database.`,
    );
  } finally {
    interruption.end();
  }
}

/** @returns the short URL that was followed @throws SetupError with what the doctor has found wrong */
async function checkVersion(
  connection: Connection,
  databases: RemoteDatabases,
  version: string,
  waiting: WaitOptions,
  progress: Progress,
): Promise<string> {
  await progress.step("Doctor of the new version", async () => {
    const checks = await examineVersion(connection, databases, version, waiting);
    const failures = checks.filter(({ level }) => level === "failure");
    if (failures.length > 0) throw new SetupError(`the doctor says\n${formatChecks(failures)}`);
  });
  return progress.step(
    "Link made, followed and deleted",
    () => followNewLink(databases.rows, connection.baseUrl, pinTo(connection.name, version)),
    (link) => link,
  );
}

async function finish(
  connection: Connection,
  progress: Progress,
  outcome: Omit<UpgradeOutcome, "percentage">,
): Promise<UpgradeOutcome> {
  const { versions } = connection;
  await progress.step("100 % of the visitors", () => versions.deploy(allTo(outcome.version), "Upgrade"));
  const { crons = [] } = committedConfig().triggers ?? {};
  await progress.step(
    "Cron jobs",
    () => versions.schedule(crons ?? []),
    () => `${crons?.length ?? 0}`,
  );
  await tellWhatIsWrong(connection, progress);
  return { ...outcome, percentage: ALL_PERCENT };
}

/** Of what is around the version, which was so before: it is told, and nothing is taken back. */
async function tellWhatIsWrong(connection: Connection, progress: Progress): Promise<void> {
  const describe = (checks: Check[]) => `${checks.length} checks`;
  const checks = await tolerate(progress, "the doctor could not look at the deployment", () =>
    progress.step("Doctor", () => examineAgain(connection), describe),
  );
  const wrong = (checks ?? []).filter(({ level }) => level !== "ok");
  if (wrong.length > 0) progress.note(formatChecks(wrong));
}

function versionMessage(bookmark: string | null): string {
  return bookmark === null ? "Upgrade" : `Upgrade; database before: ${bookmark}`;
}

function restoreHint({ all }: RemoteDatabases, bookmark: string | null, time: string): string {
  return bookmark === null ? "" : ` The data as it was before: ${restoreCommand(all, bookmark, time)}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
