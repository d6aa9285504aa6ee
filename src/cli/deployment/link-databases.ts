/** The databases for links of a deployment, besides that of accounts: which there shall be, and making them. */
import { InvalidDatabaseMap, parseDatabaseMap } from "../../core/links/database-map.ts";
import { requireReachable } from "../../core/links/map-changes.ts";
import type { CloudflareApi } from "../cloudflare/api.ts";
import { otherDatabaseNames } from "../link-databases.ts";
import { tolerate } from "./built-files.ts";
import type { CloudAccount } from "./cloud-account.ts";
import { linkDatabaseName } from "./config.ts";
import { databasePath, databasesOf } from "./connection.ts";
import type { DeployedWorker } from "./deployed-worker.ts";
import type { Progress } from "./progress.ts";
import { enableReplication, ensureDatabase } from "./resources.ts";
import { SetupError } from "./setup-error.ts";

type Settings = Partial<Record<string, string>>;

export interface LinkDatabase {
  binding: string;
  name: string;
  id: string;
}

/**
 * @param present  the variables of the deployed Worker
 * @param next  those that are to follow
 * @throws SetupError when links that are there would not be found
 */
export function assertLinksFound(present: Settings, next: Settings): void {
  try {
    const after = parseDatabaseMap(next.LINK_DATABASES);
    requireReachable(parseDatabaseMap(present.LINK_DATABASES), after);
  } catch (error) {
    if (!(error instanceof InvalidDatabaseMap)) throw error;
    throw new SetupError(`LINK_DATABASES ${error.message}. Nothing was changed.`);
  }
}

/**
 * Makes the databases that are named and not there. One that the Worker is bound to stays, also where no bucket is in it
 * any more.
 * @param setting  LINK_DATABASES
 * @param home  name of the database of accounts
 */
export async function ensureLinkDatabases(
  api: CloudflareApi,
  account: CloudAccount,
  { setting, home, deployed }: { setting: string | undefined; home: string; deployed: DeployedWorker | null },
  progress: Progress,
): Promise<LinkDatabase[]> {
  const bound = new Map((deployed ? databasesOf(deployed).slice(1) : []).map(({ name, id }) => [name, id]));
  const databases: LinkDatabase[] = [];
  for (const binding of new Set([...bound.keys(), ...otherDatabaseNames(setting)])) {
    const database = await progress.step(
      `Database ${binding}`,
      () => boundOrMade(api, account, bound.get(binding), linkDatabaseName(home, binding)),
      ({ name, isNew }) => `${name}, ${isNew ? "made" : "found"}`,
    );
    await tolerate(progress, `reads of ${binding} are not served by replicas`, () =>
      enableReplication(api, account, database),
    );
    databases.push({ binding, name: database.name, id: database.id });
  }
  return databases;
}

async function boundOrMade(api: CloudflareApi, account: CloudAccount, id: string | undefined, name: string) {
  if (id === undefined) return ensureDatabase(api, account, name);
  const found = await api.get<{ name: string }>(databasePath(account, id));
  return { name: found.name, id, isNew: false };
}
