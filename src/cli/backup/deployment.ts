/** The deployment that the operator's commands call: the development server, or one that is found in an account. */
import { HOUR_MS } from "../../core/time.ts";
import { issueOperatorToken, revokeOperatorToken } from "../../store/operators/operator-tokens.ts";
import { endBySignal } from "../../client/cli/io.ts";
import { interruptible } from "../command.ts";
import { withLocalBucket, withLocalDatabase } from "../database.ts";
import { type CloudConnection, connectAccount, unlessUnavailable } from "../deployment/account.ts";
import { accountOf, deploymentName } from "../deployment/config-file.ts";
import { connectDatabases, connectWorker } from "../deployment/connection.ts";
import { readDeployedWorker } from "../deployment/versions.ts";
import { Dialog } from "../deployment/dialog.ts";
import { NO_EDGE } from "../deployment/host-request.ts";
import { cloudBucket, localBucket, type ObjectBucket } from "./places.ts";
import { OperatorApi } from "./operator-api.ts";

export interface DeploymentOptions {
  isRemote: boolean;
  /** Null to look the deployment up in an account. */
  url: string | null;
  /** The data folder of the development server. */
  persistTo: string | undefined;
  /** An operator's token; undefined to issue one. */
  token: string | undefined;
  stderr: NodeJS.WritableStream;
  /** Prints lines of progress. */
  report: (line: string) => void;
}

type HomeDatabase = Pick<Env, "DB">;

interface FoundDeployment {
  /** Its origin. */
  url: string;
  /** Parameter of `requestHost`. */
  edgeAddress: string | undefined;
  withDatabase: <T>(work: (database: HomeDatabase) => Promise<T>) => Promise<T>;
  /** Opens a bucket beside the deployment. */
  withBucket: <T>(name: string, work: (bucket: ObjectBucket) => Promise<T>) => Promise<T>;
}

export interface OpenDeployment extends Pick<FoundDeployment, "url" | "withBucket"> {
  api: OperatorApi;
}

export async function withDeployment<T>(
  options: DeploymentOptions,
  work: (deployment: OpenDeployment) => Promise<T>,
): Promise<T> {
  const found = options.isRemote ? await findRemote(options) : findLocal(options);
  const run = (issueToken: () => Promise<string>) =>
    work({ ...found, api: new OperatorApi({ url: found.url, edgeAddress: found.edgeAddress, issueToken }) });
  const { token } = options;
  return token === undefined ? withIssuedTokens(found, options.report, run) : run(async () => token);
}

/** Revokes the tokens that `work` has issued, even if it fails or is interrupted. */
async function withIssuedTokens<T>(
  { withDatabase }: FoundDeployment,
  report: DeploymentOptions["report"],
  work: (issueToken: () => Promise<string>) => Promise<T>,
): Promise<T> {
  const issued: Promise<string>[] = [];
  const revoke = () =>
    revokeAll(withDatabase, issued).catch(() => report("The issued token is not revoked, and expires in an hour"));
  return interruptible(async (signal, interruption) => {
    const issueToken = () => {
      signal.throwIfAborted();
      const token = withDatabase((database) => issueOperatorToken(database, "backup", HOUR_MS, Date.now()));
      issued.push(token);
      return token;
    };
    try {
      return await Promise.race([work(issueToken), interruption]);
    } finally {
      await revoke();
      // A request may be in flight, which would keep the process alive.
      if (signal.aborted) endBySignal("SIGINT");
    }
  });
}

async function revokeAll(
  withDatabase: FoundDeployment["withDatabase"],
  issued: readonly Promise<string>[],
): Promise<void> {
  const outcomes = await Promise.allSettled(issued);
  const tokens = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  if (tokens.length === 0) return;
  await withDatabase(async (database) => {
    for (const token of tokens) await revokeOperatorToken(database, token);
  });
}

function findLocal({ persistTo, url }: DeploymentOptions): FoundDeployment {
  return {
    url: url ?? "",
    edgeAddress: NO_EDGE,
    withDatabase: (work) => withLocalDatabase(persistTo, work),
    withBucket: (name, work) => withLocalBucket(persistTo, name, (bucket) => work(localBucket(bucket, name))),
  };
}

/** With a URL and a token, only buckets need Cloudflare: the machine that runs backups may have no access. */
async function findRemote({ url, token, stderr }: DeploymentOptions): Promise<FoundDeployment> {
  const dialog = new Dialog(stderr);
  const connectCloud = () => connectAccount(accountOf(deploymentName(undefined)), dialog);
  if (url !== null && token !== undefined) {
    return {
      url,
      edgeAddress: undefined,
      withDatabase: () => Promise.reject(new Error("not connected to Cloudflare")),
      withBucket: async (name, work) => {
        const cloud = await connectCloud();
        return work(cloudBucket(cloud, name, await imagesBucketIn(cloud)));
      },
    };
  }
  const connection = await connectWorker(await connectCloud(), deploymentName(undefined), dialog);
  return {
    url: url ?? connection.baseUrl,
    edgeAddress: undefined,
    withDatabase: async (work) => work((await connectDatabases(connection)).rows),
    withBucket: (name, work) => work(cloudBucket(connection, name, connection.deployed.bucket)),
  };
}

/** @returns null if the deployment is not in the account, or the token may not read it: buckets may be elsewhere */
async function imagesBucketIn(cloud: CloudConnection): Promise<string | null> {
  const worker = await readDeployedWorker(cloud, deploymentName(undefined)).catch(unlessUnavailable);
  return worker?.bucket ?? null;
}
