/** An existing deployment, for the commands that maintain it: found by its Worker's name, using only the account. */
import { PassThrough } from "node:stream";

import { HOME_DATABASE } from "../../core/links/buckets.ts";
import type { LinksEnv } from "../../store/directory/databases.ts";
import { databaseOver } from "../cloudflare/api.ts";
import { SetupError } from "../command.ts";
import { type CloudConnection, connectAccount, readWorkersDevName } from "./account.ts";
import type { BoundDatabase } from "./config.ts";
import { accountOf, deploymentName } from "./config-file.ts";
import { Dialog } from "./dialog.ts";
import { type DeployedWorker, readDeployedWorker, WorkerVersions } from "./versions.ts";

export interface Connection extends CloudConnection {
  name: string;
  deployed: DeployedWorker;
  versions: WorkerVersions;
  baseUrl: string;
}

/** @throws SetupError if the Worker does not exist */
export async function connect(wantedName: string | undefined, dialog: Dialog): Promise<Connection> {
  const name = deploymentName(wantedName);
  return connectWorker(await connectAccount(accountOf(name), dialog), name, dialog);
}

/** @throws SetupError if the Worker does not exist */
export async function connectWorker(cloud: CloudConnection, name: string, dialog: Dialog): Promise<Connection> {
  const deployed = await dialog.step(`Worker ${name}`, async () => {
    const found = await readDeployedWorker(cloud, name);
    if (found) return found;
    throw new SetupError(`The account has no Worker named ${name}. Run \`npm run setup\`, or choose another --name.`);
  });
  const { BASE_URL } = deployed.variables;
  const baseUrl = BASE_URL ? new URL(BASE_URL).origin : workersDevUrl(name, await requireWorkersDevName(cloud));
  return { ...cloud, name, deployed, versions: new WorkerVersions(cloud, name), baseUrl };
}

/** @throws SetupError if it has none */
async function requireWorkersDevName(cloud: CloudConnection): Promise<string> {
  const name = await readWorkersDevName(cloud);
  if (name) return name;
  throw new SetupError("The Worker has no URL, because the account has no workers.dev subdomain. Run `npm run setup`.");
}

/** @param account  its workers.dev subdomain */
export function workersDevUrl(worker: string, account: string): string {
  return `https://${worker}.${account}.workers.dev`;
}

export interface RemoteDatabases {
  /** The accounts' database first. */
  all: BoundDatabase[];
  /** The current position in the history of the accounts' database, to which Time Travel can restore it. */
  bookmark: () => Promise<string>;
  /** For the store's functions for operators. */
  rows: LinksEnv;
}

/** The databases that the Worker is bound to. @throws SetupError if it is not bound to the accounts' database */
export async function connectDatabases(connection: Connection): Promise<RemoteDatabases> {
  const { api, account, deployed } = connection;
  const all = await nameDatabases(connection, databasesOf(deployed));
  const [home] = all;
  if (!home) throw new SetupError("The Worker has no database binding. Run `npm run setup`.");
  const bookmarkPath = `${databasePath(account, home.id)}/time_travel/bookmark`;
  return {
    all,
    bookmark: async () => (await api.get<{ bookmark: string }>(bookmarkPath)).bookmark,
    rows: rowsOf(connection, deployed.variables.LINK_DATABASES, all),
  };
}

/** The databases of the deployment that is configured here, for a command that shows no steps. */
export async function remoteRows(): Promise<LinksEnv> {
  const connection = await connect(undefined, new Dialog(new PassThrough().resume()));
  return (await connectDatabases(connection)).rows;
}

/** @param setting  LINK_DATABASES */
export function rowsOf(
  cloud: CloudConnection,
  setting: string | undefined,
  databases: readonly BoundDatabase[],
): LinksEnv {
  const opened = databases.map(({ binding, id }) => [binding, databaseOver((sql) => executeSql(cloud, id, sql))]);
  const settings = setting === undefined ? {} : { LINK_DATABASES: setting };
  return { ...(Object.fromEntries(opened) as LinksEnv), ...settings };
}

/** The accounts' database first; empty without it. */
export function databasesOf({ bindings }: DeployedWorker): Omit<BoundDatabase, "name">[] {
  const bound = bindings.flatMap(({ type, name, id }) =>
    type === "d1" && id !== undefined ? [{ binding: name, id }] : [],
  );
  const home = bound.find(({ binding }) => binding === HOME_DATABASE);
  return home ? [home, ...bound.filter((one) => one !== home)] : [];
}

export function nameDatabases(
  { api, account }: CloudConnection,
  databases: readonly Omit<BoundDatabase, "name">[],
): Promise<BoundDatabase[]> {
  const named = databases.map(async (database) => {
    const { name } = await api.get<{ name: string }>(databasePath(account, database.id));
    return { ...database, name };
  });
  return Promise.all(named);
}

/** @param id  of the database @returns a result for each statement */
export function executeSql({ api, account }: CloudConnection, id: string, sql: string): Promise<D1Result[]> {
  return api.send<D1Result[]>("POST", `${databasePath(account, id)}/query`, { sql });
}

export function databasePath({ id: account }: CloudConnection["account"], id: string): string {
  return `/accounts/${account}/d1/database/${id}`;
}
