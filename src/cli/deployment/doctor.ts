/**
 * Examines a deployment, one version of it, or the development database and its server. `npm run upgrade` uses the same
 * checks.
 */
import { withLocalDatabaseAsItIs } from "../database.ts";
import { type Check, localChecks, remoteChecks, versionChecks } from "./checks.ts";
import { connect, connectDatabases, type Connection } from "./connection.ts";
import { Dialog } from "./dialog.ts";
import { localFacts, remoteFacts } from "./facts.ts";
import { pinTo, waitForHealth } from "./health.ts";
import { readDeployedWorker } from "./versions.ts";

/** @throws SetupError if the Worker does not exist */
export async function examineRemote(output: NodeJS.WritableStream): Promise<Check[]> {
  const dialog = new Dialog(output);
  const connection = await connect(undefined, dialog);
  return dialog.step("Checks", () => remoteChecks(remoteFacts(connection)));
}

/** Examines the current deployment, of which `connection` may know an earlier version. */
export async function examineAgain(connection: Connection): Promise<Check[]> {
  const deployed = (await readDeployedWorker(connection, connection.name)) ?? connection.deployed;
  return remoteChecks(remoteFacts({ ...connection, deployed }));
}

/** @param waiting  how to wait for the version @throws SetupError if requests do not reach it */
export async function examineVersion(
  connection: Connection,
  version: string,
  waiting: { spreadsMs?: number; signal?: AbortSignal },
): Promise<Check[]> {
  const { baseUrl, name } = connection;
  const place = { baseUrl, headers: pinTo(name, version) };
  const { rows } = await connectDatabases(connection);
  const health = await waitForHealth(rows, place, { version, ...waiting });
  const deployed = await connection.versions.worker(version);
  return versionChecks({ ...remoteFacts({ ...connection, deployed }), health: async () => health });
}

/** @param url  of the development server, if one is running */
export async function examineLocal(persistTo: string | undefined, url: string): Promise<Check[]> {
  const checks = await withLocalDatabaseAsItIs(persistTo, async (rows) => localChecks(await localFacts(rows, url)));
  return checks ?? localChecks(null);
}
