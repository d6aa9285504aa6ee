/**
 * The steps of `npm run upgrade`: migrates the databases, gives the new version a small share of the visitors, and
 * checks it with requests that are pinned to it. Then gives it all visitors, or returns to the previous version.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { isFreePlan } from "../../core/deployment/settings.ts";
import { MIGRATIONS, pendingMigrations } from "../../store/operators/migrations.ts";
import { interruptible, SetupError, textOf } from "../command.ts";
import { hasPaidPlan } from "./account.ts";
import { statementsThatTakeAway } from "./additive-migrations.ts";
import { examineAgain, examineVersion, formatChecks } from "./checks.ts";
import { type Installation, installationNames } from "./config.ts";
import { committedConfig, writeDeploymentConfig } from "./config-file.ts";
import { connect, connectDatabases, type Connection, type RemoteDatabases } from "./connection.ts";
import { deploy, migrate, MIGRATIONS_FOLDER, prepareFiles, uploadVersion } from "./deploy.ts";
import type { Dialog } from "./dialog.ts";
import { followNewLink, pinTo } from "./health.ts";
import type { UpgradeOptions } from "./options.ts";
import { ensureSalts } from "./resources.ts";
import { restoreCommand } from "./roll-back.ts";
import { ALL_PERCENT, mainVersion, NEW_SHARE_PERCENT, newVersion } from "./versions.ts";

/** Objects may run the previous code for five minutes after a deployment. */
const OBJECTS_FOLLOW_MS = 330_000;

export interface UpgradeOutcome {
  url: string;
  version: string;
  /** The previous version. */
  before: string;
  /** Percentage of visitors that get the new version. */
  percentage: number;
  /** The database's bookmark from before its migration; null if it was not reported. */
  bookmark: string | null;
  /** The short URL that was followed. */
  link: string;
}

/** The deployment that is upgraded. */
interface Upgraded extends Connection {
  databases: RemoteDatabases;
  /** The version that has served until now. */
  before: string;
  dialog: Dialog;
}

export async function upgrade(options: UpgradeOptions, dialog: Dialog): Promise<UpgradeOutcome> {
  const connection = await connect(options.name, dialog);
  const databases = await connectDatabases(connection);
  const [present] = await connection.versions.deployments();
  const before = present && mainVersion(present);
  if (!before) throw new SetupError("The Worker has never been deployed. Run `npm run setup`.");
  const upgraded = { ...connection, databases, before, dialog };
  if (options.continue) {
    const version = newVersion(present)?.version_id;
    if (version === undefined) throw new SetupError("No upgrade is in progress. To start one, run `npm run upgrade`.");
    const link = await giveShare(upgraded, version, NEW_SHARE_PERCENT);
    return finish(upgraded, { version, bookmark: null, link });
  }

  const pending = await dialog.step(
    "Additive migrations",
    () => assertAdditive(databases),
    (names) => names.join(", ") || "all are applied",
  );
  const bookmark = await dialog.tolerate("the database's bookmark could not be read", () =>
    dialog.step("Database bookmark", databases.bookmark, (text) => text),
  );
  await prepareFiles(connection.baseUrl, options.skipBuild === true, dialog);
  const installation = await installationOf(upgraded);
  const config = writeDeploymentConfig(installation, connection.baseUrl);
  if (pending.length > 0) await migrate(config, databases.all, dialog);

  if (needsWholeDeployment(connection)) return deployWhole(upgraded, installation, bookmark);
  const message = bookmark === null ? "Upgrade" : `Upgrade; database before: ${bookmark}`;
  const upload = () => uploadVersion(config, message);
  const version = await dialog.step("Upload", upload, (id) => `version ${id}`);
  // On Workers' Free plan, Durable Objects serve the requests, and a request cannot select their version.
  const share = installation.hasPaidPlan ? NEW_SHARE_PERCENT : ALL_PERCENT;
  if (options.hold && share === ALL_PERCENT)
    dialog.warn("--hold requires the Workers Paid plan: all visitors get the new version immediately");
  const outcome = { version, bookmark, link: await giveShare(upgraded, version, share) };
  if (!options.hold || share === ALL_PERCENT) return finish(upgraded, outcome);
  return { url: connection.baseUrl, before, percentage: share, ...outcome };
}

/** @throws SetupError if the running release could not use the migrated database */
async function assertAdditive({ rows }: RemoteDatabases): Promise<string[]> {
  const lacking = (await pendingMigrations(rows)).flatMap(({ pending }) => pending);
  const pending = MIGRATIONS.filter((name) => lacking.includes(name));
  const files = await Promise.all(pending.map((name) => readFile(join(MIGRATIONS_FOLDER, name), "utf8")));
  const found = statementsThatTakeAway(files.join(";\n"));
  if (found.length === 0) return pending;
  throw new SetupError(
    `These statements of pending migrations (${pending.join(", ")}) would break the running release: ${found.join("; ")}. Nothing was changed. If you accept downtime during the deployment, run \`npm run setup\`, which migrates and deploys in one step.`,
  );
}

/** The deployed Worker's bindings, with its variables. */
async function installationOf(upgraded: Upgraded): Promise<Installation> {
  const { account, name, deployed, databases, dialog } = upgraded;
  const { bucket, variables } = deployed;
  const hasPaid = (await hasPaidPlan(upgraded)) ?? !isFreePlan(variables);
  const salts =
    deployed.salts ?? (await ensureSalts(upgraded, installationNames(committedConfig(), name).salts, dialog));
  return { account: account.id, name, databases: databases.all, bucket, salts, hasPaidPlan: hasPaid, variables: {} };
}

/** New classes of objects start for all visitors together: Cloudflare does not apply them to a partial deployment. */
function needsWholeDeployment({ deployed }: Connection): boolean {
  const { migrations = [] } = committedConfig();
  return migrations.at(-1)?.tag !== (deployed.migrationTag ?? undefined);
}

async function deployWhole(
  upgraded: Upgraded,
  installation: Installation,
  bookmark: string | null,
): Promise<UpgradeOutcome> {
  const { baseUrl, versions, databases, before, dialog } = upgraded;
  dialog.warn("this release adds Durable Object classes, so all visitors get it immediately");
  await dialog.step("Deployment", () => deploy(installation, baseUrl, false));
  const [present] = await versions.deployments();
  const version = (present && mainVersion(present)) ?? "";
  const link = await checkVersion(upgraded, version, { spreadsMs: OBJECTS_FOLLOW_MS }).catch((error: unknown) => {
    const restore = bookmark && restoreCommand(databases.all, bookmark, present?.created_on ?? "");
    throw new SetupError(
      `The new version failed: ${textOf(error)}\nCloudflare cannot roll back past new Durable Object classes: deploy a fixed release.${restore ? ` To restore the data from before the upgrade: ${restore}` : ""}`,
    );
  });
  return { url: baseUrl, version, before, percentage: ALL_PERCENT, bookmark, link };
}

/**
 * @param share  percent of the visitors that get the version until it is checked
 * @returns the short URL that was followed
 * @throws SetupError after all visitors have the previous version again
 */
async function giveShare(upgraded: Upgraded, version: string, share: number): Promise<string> {
  const { versions, before, dialog } = upgraded;
  const isWhole = share === ALL_PERCENT;
  const waiting = isWhole ? { spreadsMs: OBJECTS_FOLLOW_MS } : {};
  return interruptible(async (signal, interruption) => {
    try {
      // Never aborted: a request sent late could arrive after the one that reverts it.
      await dialog.step(`${share} % of the visitors`, () =>
        versions.deploy(version, "Upgrade: not yet checked", share, isWhole ? undefined : before),
      );
      return await Promise.race([checkVersion(upgraded, version, { signal, ...waiting }), interruption]);
    } catch (error) {
      await dialog.step("Return to the previous version", () => versions.deploy(before, "Upgrade: reverted"));
      throw new SetupError(
        `The new version failed: ${textOf(error)}\nAll visitors get the previous version again (${before}). It works with the migrated database.`,
      );
    }
  });
}

/** @returns the short URL that was followed @throws SetupError with the doctor's findings */
async function checkVersion(
  upgraded: Upgraded,
  version: string,
  waiting: Parameters<typeof examineVersion>[2],
): Promise<string> {
  const { databases, name, baseUrl, dialog } = upgraded;
  await dialog.step("Doctor checks of the new version", async () => {
    const failures = (await examineVersion(upgraded, version, waiting)).filter(({ level }) => level === "failure");
    if (failures.length > 0) throw new SetupError(`the doctor reports\n${formatChecks(failures)}`);
  });
  return followNewLink(databases.rows, { baseUrl, headers: pinTo(name, version) }, dialog);
}

async function finish(
  upgraded: Upgraded,
  outcome: Pick<UpgradeOutcome, "version" | "bookmark" | "link">,
): Promise<UpgradeOutcome> {
  const { baseUrl, versions, before, dialog } = upgraded;
  await dialog.step("100 % of the visitors", () => versions.deploy(outcome.version, "Upgrade"));
  const { triggers, observability = { enabled: false } } = committedConfig();
  await dialog.step("Logs", () => versions.setObservability(observability));
  const crons = triggers?.crons ?? [];
  await dialog.step("Cron jobs", () => versions.schedule(crons), String(crons.length));
  // Problems around the version existed before it: they are listed, and nothing is reverted.
  const examine = () => examineAgain(upgraded);
  const checks = await dialog.tolerate("the doctor could not check the deployment", () =>
    dialog.step("Doctor", examine, (all) => `${all.length} checks`),
  );
  const wrong = (checks ?? []).filter(({ level }) => level !== "ok");
  if (wrong.length > 0) dialog.note(formatChecks(wrong));
  return { url: baseUrl, before, percentage: ALL_PERCENT, ...outcome };
}
