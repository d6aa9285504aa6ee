/** The deployment that the operator's commands speak with: the development server, or one that is found in an account. */
import { HOUR_MS } from "../../core/durations.ts";
import { issueOperatorToken } from "../../store/operators/operator-tokens.ts";
import { withLocalDatabase } from "../database.ts";
import { type CloudConnection, connectAccount, unlessUnavailable } from "../deployment/account.ts";
import { accountOf, deploymentName } from "../deployment/config-file.ts";
import { connectDatabases, connectWorker } from "../deployment/connection.ts";
import { readDeployedWorker } from "../deployment/versions.ts";
import { Dialog } from "../deployment/dialog.ts";
import { NO_EDGE } from "../deployment/host-request.ts";
import { type Buckets, cloudBuckets, localBuckets } from "./buckets.ts";

export interface Deployment {
  /** Its origin. */
  url: string;
  /** Is called again when a token has expired. */
  issueToken: () => Promise<string>;
  /** Of `requestHost`. */
  edgeAddress: string | undefined;
}

interface CommonOptions {
  /** An operator's, when none is to be issued. */
  token: string | undefined;
  stderr: NodeJS.WritableStream;
  /** Takes lines of progress. */
  report: (line: string) => void;
}

export type DeploymentOptions =
  | (CommonOptions & { isRemote: false; url: string; persistTo: string | undefined })
  /** Without `url` the deployment is found. */
  | (CommonOptions & { isRemote: true; url: string | undefined });

type LocalOptions = Extract<DeploymentOptions, { isRemote: false }>;
type RemoteOptions = Extract<DeploymentOptions, { isRemote: true }>;

/** @param usesBucket  whether the command will want the account's buckets */
export async function openDeployment(
  options: DeploymentOptions,
  usesBucket: boolean,
): Promise<{ deployment: Deployment; buckets: Buckets }> {
  return options.isRemote ? openRemote(options, usesBucket) : openLocal(options);
}

function openLocal({ persistTo, url, token }: LocalOptions) {
  const issueToken = async () => token ?? withLocalDatabase(persistTo, issue);
  return { deployment: { url, issueToken, edgeAddress: NO_EDGE }, buckets: localBuckets(persistTo) };
}

/** With an address and a token nothing is asked of Cloudflare: a machine that makes backups may have no access. */
async function openRemote({ url, token, stderr }: RemoteOptions, usesBucket: boolean) {
  const dialog = new Dialog(stderr);
  const connectCloud = () => connectAccount(accountOf(deploymentName(undefined)), dialog);
  if (url !== undefined && token !== undefined) {
    const cloud = usesBucket ? await connectCloud() : null;
    return {
      deployment: { url, issueToken: async () => token, edgeAddress: undefined },
      buckets: cloudBuckets(cloud, cloud && (await imagesBucketIn(cloud))),
    };
  }
  const connection = await connectWorker(await connectCloud(), deploymentName(undefined), dialog);
  const issueToken = async () => token ?? issue((await connectDatabases(connection)).rows);
  return {
    deployment: { url: url ?? connection.baseUrl, issueToken, edgeAddress: undefined },
    buckets: cloudBuckets(connection, connection.deployed.bucket),
  };
}

/** @returns null where the account has no such deployment, or the token may not read it: the bucket may be elsewhere */
async function imagesBucketIn(cloud: CloudConnection): Promise<string | null> {
  const worker = await readDeployedWorker(cloud, deploymentName(undefined)).catch(unlessUnavailable);
  return worker?.bucket ?? null;
}

function issue(database: Pick<Env, "DB">): Promise<string> {
  return issueOperatorToken(database, "backup", HOUR_MS, Date.now());
}
