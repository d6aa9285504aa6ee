/** Where the commands find the deployment that they speak with. */
import type { DeploymentOptions } from "../backup/deployment.ts";
import type { Target } from "./target.ts";

export const URL_OPTION = ["--url <URL>", "where the deployment is, when it is not to be found"] as const;

export function deploymentAt(target: Target, url: string | undefined): DeploymentOptions {
  const { remote, persistTo } = target.options;
  const { stderr, env } = target.io;
  const common = { token: env.OPERATOR_TOKEN, stderr, report: target.console.error };
  if (!remote) return { ...common, isRemote: false, url: target.baseUrl(url), persistTo };
  return { ...common, isRemote: true, url: url === undefined ? undefined : target.baseUrl(url) };
}
