/** A deployment that is there, for the commands that look after it: found by its Worker's name, in nothing but the account. */
import { PassThrough } from "node:stream";

import { HOME_DATABASE } from "../../core/links/database-map.ts";
import type { LinksEnv } from "../../store/links/links-database.ts";
import { CloudflareApi } from "../cloudflare/api.ts";
import { databaseOver } from "../cloudflare/remote-database.ts";
import { chooseAccount, type CloudAccount } from "./cloud-account.ts";
import { accountOf, deploymentName } from "./config-file.ts";
import { type DeployedWorker, readDeployedWorker } from "./deployed-worker.ts";
import { Progress } from "./progress.ts";
import { isInteractive, NOBODY_TO_ASK, type Questions, TERMINAL } from "./questions.ts";
import { SetupError } from "./setup-error.ts";
import { signIn } from "./sign-in.ts";
import { WorkerVersions } from "./versions.ts";

export interface Connection {
  api: CloudflareApi;
  account: CloudAccount;
  name: string;
  deployed: DeployedWorker;
  versions: WorkerVersions;
  baseUrl: string;
}

/** The account at Cloudflare, and its API. */
export type CloudConnection = Pick<Connection, "api" | "account">;

/**
 * @param known  id of the account that was chosen before
 * @throws SetupError when nobody is logged in
 */
export async function connectAccount(
  known: string | null,
  progress: Progress,
  questions: Questions,
): Promise<CloudConnection> {
  const api = new CloudflareApi(await progress.step("Cloudflare login", () => signIn(progress, questions)));
  const account = await progress.step(
    "Account",
    () => chooseAccount(api, known, questions),
    (chosen) => chosen.name || chosen.id,
  );
  return { api, account };
}

/** @throws SetupError when there is no Worker of this name */
export async function connect(
  wantedName: string | undefined,
  progress: Progress,
  questions: Questions,
): Promise<Connection> {
  const name = deploymentName(wantedName);
  return connectWorker(await connectAccount(accountOf(name), progress, questions), name, progress);
}

/** @throws SetupError when there is no Worker of this name */
export async function connectWorker(cloud: CloudConnection, name: string, progress: Progress): Promise<Connection> {
  const { api, account } = cloud;
  const deployed = await progress.step(`Worker ${name}`, async () => {
    const found = await readDeployedWorker(api, account, name);
    if (found) return found;
    throw new SetupError(`The account has no Worker ${name}: run \`npm run setup\`, or name another with --name.`);
  });
  const versions = new WorkerVersions(api, account, name);
  return { api, account, name, deployed, versions, baseUrl: await baseUrlOf(api, account, name, deployed) };
}

async function baseUrlOf(
  api: CloudflareApi,
  { id }: CloudAccount,
  name: string,
  { variables }: DeployedWorker,
): Promise<string> {
  if (variables.BASE_URL) return new URL(variables.BASE_URL).origin;
  const { subdomain } = await api.get<{ subdomain: string }>(`/accounts/${id}/workers/subdomain`);
  return `https://${name}.${subdomain}.workers.dev`;
}

export interface RemoteDatabase {
  /** Name of the binding. */
  binding: string;
  id: string;
  name: string;
  /** Where the database is in its history, to which Time Travel can set it back. */
  bookmark: () => Promise<string>;
}

export interface RemoteDatabases {
  /** That of accounts first. */
  all: readonly [RemoteDatabase, ...RemoteDatabase[]];
  /** For the store's functions for operators. */
  rows: LinksEnv;
}

/** The databases that the Worker is bound to. @throws SetupError when it is not bound to that of accounts */
export async function connectDatabases({ api, account, deployed }: Connection): Promise<RemoteDatabases> {
  const bound = databasesOf(deployed);
  const all = await Promise.all(
    bound.map(async ({ name: binding, id }) => {
      const path = databasePath(account, id);
      const { name } = await api.get<{ name: string }>(path);
      const bookmark = async () => (await api.get<{ bookmark: string }>(`${path}/time_travel/bookmark`)).bookmark;
      return { binding, id, name, bookmark };
    }),
  );
  const [home, ...others] = all;
  if (!home) throw new SetupError("The Worker is bound to no database: run `npm run setup`.");
  return { all: [home, ...others], rows: rowsOf(api, account, deployed.variables.LINK_DATABASES, all) };
}

/** The databases of the deployment that is configured here, for a command that says nothing of its steps. */
export async function remoteRows(): Promise<LinksEnv> {
  const questions = isInteractive() ? TERMINAL : NOBODY_TO_ASK;
  const connection = await connect(undefined, new Progress(new PassThrough().resume()), questions);
  return (await connectDatabases(connection)).rows;
}

/** @param setting  LINK_DATABASES */
export function rowsOf(
  api: CloudflareApi,
  account: CloudAccount,
  setting: string | undefined,
  databases: readonly Pick<RemoteDatabase, "binding" | "id">[],
): LinksEnv {
  const opened = databases.map(({ binding, id }) => [
    binding,
    databaseOver((sql) => api.send<D1Result[]>("POST", `${databasePath(account, id)}/query`, { sql })),
  ]);
  const settings = setting === undefined ? {} : { LINK_DATABASES: setting };
  return { ...(Object.fromEntries(opened) as LinksEnv), ...settings };
}

/** That of accounts first; none without it. */
export function databasesOf({ bindings }: DeployedWorker): { name: string; id: string }[] {
  const bound = bindings.flatMap(({ type, name, id }) => (type === "d1" && id !== undefined ? [{ name, id }] : []));
  const home = bound.find(({ name }) => name === HOME_DATABASE);
  return home ? [home, ...bound.filter((one) => one !== home)] : [];
}

export function databasePath({ id: account }: CloudAccount, id: string): string {
  return `/accounts/${account}/d1/database/${id}`;
}
