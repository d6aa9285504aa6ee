/** Where the commands find the deployment that they speak with. */
import type { DeploymentOptions } from "../backup/deployment.ts";
import type { Target } from "./target.ts";

export const URL_OPTION = ["--url <URL>", "where the deployment is, when it is not to be found"] as const;

export function deploymentAt(target: Target, url: string | undefined): DeploymentOptions {
  const { remote, persistTo } = target.options;
  const token = process.env.OPERATOR_TOKEN;
  if (!remote) return { isRemote: false, url: target.baseUrl(url), token, persistTo };
  return { isRemote: true, url: url === undefined ? undefined : target.baseUrl(url), token };
}
