/** What is deployed under a Worker's name: its variables, the names of its secrets, and its bindings. */
import { type CloudflareApi, CloudflareApiError } from "../cloudflare/api.ts";
import type { CloudConnection } from "./account.ts";
import { IMAGES_BINDING, SALTS_BINDING } from "./config.ts";

const NO_WORKER_CODES = new Set([10_007, 10_090]);

interface Binding {
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
  /** The images' bucket, if there is one. */
  bucket: string | null;
  /** Id of the KV namespace of visitors' salts, if there is one. */
  salts: string | null;
  bindings: Binding[];
  hasLimits: boolean;
  /** The newest Durable Object migration that was applied; null where Cloudflare does not say. */
  migrationTag: string | null;
}

interface Settings {
  bindings?: Binding[];
  limits?: object | null;
}

interface Service {
  default_environment?: { script?: { migration_tag?: string } };
}

interface VersionDetails {
  resources?: { bindings?: Binding[]; script_runtime?: { migration_tag?: string; limits?: object | null } };
}

/** @returns null when there is no Worker of this name */
export async function readDeployedWorker(
  { api, account }: CloudConnection,
  name: string,
): Promise<DeployedWorker | null> {
  const path = `/accounts/${account.id}/workers`;
  // A guess would replace the secret: if the settings cannot be read, setup stops.
  const settings = await api.get<Settings>(`${path}/scripts/${name}/settings`).catch((error: unknown) => {
    if (error instanceof CloudflareApiError && (error.status === 404 || NO_WORKER_CODES.has(error.code))) return null;
    throw error;
  });
  if (!settings) return null;
  const service = await api.get<Service>(`${path}/services/${name}`);
  return workerOf(settings, service.default_environment?.script?.migration_tag);
}

/** What a version is bound to, whether it serves or not. */
export async function readVersion(api: CloudflareApi, scriptPath: string, version: string): Promise<DeployedWorker> {
  const { resources = {} } = await api.get<VersionDetails>(`${scriptPath}/versions/${version}`);
  const { bindings, script_runtime: runtime = {} } = resources;
  return workerOf({ ...runtime, ...(bindings && { bindings }) }, runtime.migration_tag);
}

function workerOf({ bindings = [], limits }: Settings, migrationTag: string | null = null): DeployedWorker {
  const variables = bindings.filter(({ type }) => type === "plain_text").map(({ name, text = "" }) => [name, text]);
  const secrets = bindings.filter(({ type }) => type.startsWith("secret_"));
  return {
    variables: Object.fromEntries(variables) as Record<string, string>,
    secrets: new Set(secrets.map(({ name }) => name)),
    bucket: bindings.find(({ name }) => name === IMAGES_BINDING)?.bucket_name ?? null,
    salts: bindings.find(({ name }) => name === SALTS_BINDING)?.namespace_id ?? null,
    bindings,
    hasLimits: Object.keys(limits ?? {}).length > 0,
    migrationTag,
  };
}
