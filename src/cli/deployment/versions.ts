/** Versions of a deployed Worker, their shares of its visitors, and the target of a rollback. */
import type { Unstable_RawConfig as RawConfig } from "wrangler";

import { type CloudflareApi, CloudflareApiError } from "../cloudflare/api.ts";
import type { CloudConnection } from "./account.ts";
import { IMAGES_BINDING, SALTS_BINDING } from "./config.ts";

interface Share {
  version_id: string;
  percentage: number;
}

export interface Deployment {
  id: string;
  created_on: string;
  versions: Share[];
}

export interface Version {
  id: string;
  /** Ascending. */
  number: number;
  metadata: { created_on: string };
  annotations?: Record<string, string>;
}

interface Binding {
  name: string;
  type: string;
  text?: string;
  /** Id of a database. */
  id?: string;
  bucket_name?: string;
  namespace_id?: string;
}

interface VersionDetails {
  resources?: { bindings?: Binding[]; script_runtime?: { migration_tag?: string } };
}

/** The bindings of a version, whether it serves or not. */
export interface DeployedWorker {
  variables: Record<string, string>;
  secrets: Set<string>;
  /** The images' bucket; null without one. */
  bucket: string | null;
  /** ID of the KV namespace of visitors' salts; null without one. */
  salts: string | null;
  bindings: Binding[];
  /** The newest applied Durable Object migration; null if Cloudflare does not report it. */
  migrationTag: string | null;
}

/** The share that an upgrade gives the new version until it is checked. */
export const NEW_SHARE_PERCENT = 10;
export const ALL_PERCENT = 100;
/** Without this, the API refuses a version whose secrets differ from the current ones. */
const FORCE = "?force=true";
export const NO_WORKER_CODES = [10_007, 10_090];

export class WorkerVersions {
  readonly #api: CloudflareApi;
  readonly #path: string;

  constructor({ api, account }: CloudConnection, worker: string) {
    this.#api = api;
    this.#path = `/accounts/${account.id}/workers/scripts/${worker}`;
  }

  /** Newest first; the first one is active. */
  async deployments(): Promise<Deployment[]> {
    return (await this.#api.get<{ deployments: Deployment[] }>(`${this.#path}/deployments`)).deployments;
  }

  /** Newest first; only versions that can be deployed again. */
  async list(): Promise<Version[]> {
    return (await this.#api.get<{ items: Version[] }>(`${this.#path}/versions?deployable=true`)).items;
  }

  async worker(version: string): Promise<DeployedWorker> {
    const { resources = {} } = await this.#api.get<VersionDetails>(`${this.#path}/versions/${version}`);
    const { bindings = [], script_runtime: runtime = {} } = resources;
    const variables = bindings.filter(({ type }) => type === "plain_text").map(({ name, text = "" }) => [name, text]);
    const secrets = bindings.filter(({ type }) => type.startsWith("secret_"));
    return {
      variables: Object.fromEntries(variables) as Record<string, string>,
      secrets: new Set(secrets.map(({ name }) => name)),
      bucket: bindings.find(({ name }) => name === IMAGES_BINDING)?.bucket_name ?? null,
      salts: bindings.find(({ name }) => name === SALTS_BINDING)?.namespace_id ?? null,
      bindings,
      migrationTag: runtime.migration_tag ?? null,
    };
  }

  /** @param rest  the version that the other visitors get */
  async deploy(version: string, message: string, percentage = ALL_PERCENT, rest?: string): Promise<void> {
    const versions = [{ version_id: version, percentage }];
    if (rest !== undefined) versions.unshift({ version_id: rest, percentage: ALL_PERCENT - percentage });
    const annotations = { "workers/message": message };
    const deployment = { strategy: "percentage", versions, annotations };
    await this.#api.send("POST", `${this.#path}/deployments${FORCE}`, deployment);
  }

  /** Log settings belong to no version: an upload keeps them, even if they include visitors' addresses. */
  async setObservability(observability: RawConfig["observability"]): Promise<void> {
    await this.#api.send("PATCH", `${this.#path}/script-settings`, { observability });
  }

  async schedules(): Promise<string[]> {
    const { schedules } = await this.#api.get<{ schedules: { cron: string }[] }>(`${this.#path}/schedules`);
    return schedules.map(({ cron }) => cron);
  }

  /** This release's cron jobs replace those of the previous one. */
  async schedule(crons: readonly string[]): Promise<void> {
    const schedules = crons.map((cron) => ({ cron }));
    await this.#api.send("PUT", `${this.#path}/schedules`, schedules);
  }
}

/** The version that most visitors get. @returns null if the Worker does not exist */
export async function readDeployedWorker(cloud: CloudConnection, name: string): Promise<DeployedWorker | null> {
  const versions = new WorkerVersions(cloud, name);
  // A guess would replace the secret: if the versions cannot be read, setup stops.
  const [present] = await versions.deployments().catch((error: unknown) => {
    if (error instanceof CloudflareApiError && (error.status === 404 || NO_WORKER_CODES.includes(error.code)))
      return [];
    throw error;
  });
  const main = present && mainVersion(present);
  return main ? versions.worker(main) : null;
}

/** @returns the version with the largest share */
export function mainVersion({ versions }: Pick<Deployment, "versions">): string | null {
  return versions.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id ?? null;
}

/** @returns the version beside the main one, during an upgrade */
export function newVersion(deployment: Pick<Deployment, "versions">): Share | null {
  const main = mainVersion(deployment);
  return deployment.versions.find(({ version_id }) => version_id !== main) ?? null;
}

/**
 * The target of a rollback: during an upgrade, the version that most visitors still get; else the newest version before
 * the present one that once served all of them. One that failed its check never did.
 * @param deployments  newest first
 */
export function rollbackTarget(deployments: readonly Deployment[], versions: readonly Version[]): Version | null {
  const [present] = deployments;
  const current = present && mainVersion(present);
  if (!current) return null;
  const find = (id: string) => versions.find((version) => version.id === id) ?? null;
  if (newVersion(present) !== null) return find(current);
  const number = find(current)?.number ?? Infinity;
  const served = new Set(deployments.flatMap((one) => (one.versions.length === 1 ? (mainVersion(one) ?? []) : [])));
  const earlier = versions.filter((version) => served.has(version.id) && version.number < number);
  return earlier.toSorted((a, b) => b.number - a.number)[0] ?? null;
}
