/** What is deployed under a Worker's name: its variables, its secrets' names, what it is bound to. */
import { type CloudflareApi, CloudflareApiError } from "../cloudflare/api.ts";
import type { CloudAccount } from "./cloud-account.ts";
import { IMAGES_BINDING, SALTS_BINDING } from "./config.ts";

const NO_WORKER_CODES = new Set([10_007, 10_090]);

export interface Binding {
  name: string;
  type: string;
  text?: string;
  /** Of a database. */
  id?: string;
  bucket_name?: string;
  namespace_id?: string;
}

export interface DeployedWorker {
  variables: Record<string, string>;
  secrets: Set<string>;
  /** Of its images, if it has one. */
  bucket: string | null;
  /** Id of the KV namespace of visitors' salts, if it has one. */
  salts: string | null;
  bindings: Binding[];
  hasLimits: boolean;
  /** Up to where its Durable Object migrations are applied. */
  migrationTag: string | null;
}

interface Settings {
  bindings?: Binding[];
  limits?: object | null;
}

interface Service {
  default_environment?: { script?: { migration_tag?: string } };
}

/** @returns null when there is no Worker of this name */
export async function readDeployedWorker(
  api: CloudflareApi,
  { id }: CloudAccount,
  name: string,
): Promise<DeployedWorker | null> {
  const path = `/accounts/${id}/workers/scripts/${name}`;
  // A guess would replace the secret: what cannot be read stops the setup.
  const secrets = await api.get<{ name: string }[] | null>(`${path}/secrets`).catch(unlessMissing);
  if (!secrets) return null;
  const { bindings = [], limits = null } = (await api.get<Settings | null>(`${path}/settings`)) ?? {};
  const service = await api.get<Service>(`/accounts/${id}/workers/services/${name}`);
  const tag = service.default_environment?.script?.migration_tag ?? null;
  return workerOf(bindings, secrets, limits, tag);
}

/** @param secrets  whose values are never read back */
export function workerOf(
  bindings: Binding[],
  secrets: readonly { name: string }[],
  limits: object | null,
  migrationTag: string | null,
): DeployedWorker {
  const variables = bindings.filter(({ type }) => type === "plain_text").map(({ name, text = "" }) => [name, text]);
  return {
    variables: Object.fromEntries(variables) as Record<string, string>,
    secrets: new Set(secrets.map(({ name }) => name)),
    bucket: bindings.find(({ name }) => name === IMAGES_BINDING)?.bucket_name ?? null,
    salts: bindings.find(({ name }) => name === SALTS_BINDING)?.namespace_id ?? null,
    bindings,
    hasLimits: limits !== null && Object.keys(limits).length > 0,
    migrationTag,
  };
}

function unlessMissing(error: unknown): null {
  if (error instanceof CloudflareApiError && (error.status === 404 || NO_WORKER_CODES.has(error.code))) return null;
  throw error;
}
