/**
 * Examines a deployment, one version of it, or the development database and its server. `npm run upgrade` decides by the
 * same checks.
 */
import { hasAccounts } from "../../store/operators/first-account.ts";
import { pendingMigrations } from "../../store/operators/migrations.ts";
import { withLocalDatabaseAsItIs } from "../database.ts";
import { type Check, Unreadable } from "./check.ts";
import { remoteChecks } from "./checks.ts";
import { connect, type Connection, type RemoteDatabases } from "./connection.ts";
import { readDeployedWorker } from "./deployed-worker.ts";
import { read, remoteFacts, versionFacts } from "./facts.ts";
import { healthOf, healthOfVersion, pinTo, type WaitOptions } from "./health.ts";
import { NO_EDGE, requestHost } from "./host-request.ts";
import { localChecks } from "./local-checks.ts";
import { Progress } from "./progress.ts";
import { isInteractive, NOBODY_TO_ASK, TERMINAL } from "./questions.ts";
import { versionChecks } from "./version-checks.ts";

/** @throws SetupError when there is no such Worker */
export async function examineRemote(output: NodeJS.WritableStream): Promise<Check[]> {
  const progress = new Progress(output);
  const connection = await connect(undefined, progress, isInteractive() ? TERMINAL : NOBODY_TO_ASK);
  return progress.step("Checks", async () => remoteChecks(await remoteFacts(connection)));
}

/** The deployment as it is now, of which `connection` may know an earlier version. */
export async function examineAgain(connection: Connection): Promise<Check[]> {
  const { api, account, name } = connection;
  const deployed = (await readDeployedWorker(api, account, name)) ?? connection.deployed;
  return remoteChecks(await remoteFacts({ ...connection, deployed }));
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
