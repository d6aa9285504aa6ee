/** A deployment that is there, for the commands that look after it: found by its Worker's name, in nothing but the account. */
import { CloudflareApi } from "../cloudflare/api.ts";
import { databaseOver } from "../cloudflare/remote-database.ts";
import { chooseAccount, type CloudAccount } from "./cloud-account.ts";
import { accountOf, deploymentName } from "./config-file.ts";
import { type DeployedWorker, readDeployedWorker } from "./deployed-worker.ts";
import type { Progress } from "./progress.ts";
import type { Questions } from "./questions.ts";
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
  id: string;
  name: string;
  rows: Pick<Env, "DB">;
  /** Where the database is in its history, to which Time Travel can set it back. */
  bookmark: () => Promise<string>;
}

/** The database that the Worker is bound to. @throws SetupError when it is bound to none */
export async function connectDatabase({ api, account, deployed }: Connection): Promise<RemoteDatabase> {
  const id = deployed.bindings.find(({ type, name }) => type === "d1" && name === "DB")?.id;
  if (id === undefined) throw new SetupError("The Worker is bound to no database: run `npm run setup`.");
  const path = `/accounts/${account.id}/d1/database/${id}`;
  const { name } = await api.get<{ name: string }>(path);
  const bookmark = async () => (await api.get<{ bookmark: string }>(`${path}/time_travel/bookmark`)).bookmark;
  return { id, name, bookmark, rows: databaseOver((sql) => api.send<D1Result[]>("POST", `${path}/query`, { sql })) };
}
