/** Versions of a deployed Worker, and the shares of its visitors that they get. */
import type { CloudflareApi } from "../cloudflare/api.ts";
import type { CloudAccount } from "./cloud-account.ts";
import { type Binding, type DeployedWorker, workerOf } from "./deployed-worker.ts";
import type { Deployment, Share, Version } from "./shares.ts";

/** The API refuses a version with other secrets than those of today, unless it is told that this is meant. */
const FORCE = "?force=true";

interface Details {
  resources?: { bindings?: Binding[]; script_runtime?: { migration_tag?: string; limits?: object | null } };
}

export class WorkerVersions {
  readonly #api: CloudflareApi;
  readonly #path: string;

  constructor(api: CloudflareApi, { id }: CloudAccount, worker: string) {
    this.#api = api;
    this.#path = `/accounts/${id}/workers/scripts/${worker}`;
  }

  /** Newest first; the first is in force. */
  async deployments(): Promise<Deployment[]> {
    return (await this.#api.get<{ deployments: Deployment[] }>(`${this.#path}/deployments`)).deployments;
  }

  /** Newest first, as many as can be deployed again. */
  async list(): Promise<Version[]> {
    return (await this.#api.get<{ items: Version[] }>(`${this.#path}/versions?deployable=true`)).items;
  }

  /** What a version is bound to, whether it serves or not. Its migration tag is null where Cloudflare does not say. */
  async worker(version: string): Promise<DeployedWorker> {
    const { resources } = await this.#api.get<Details>(`${this.#path}/versions/${version}`);
    const { bindings = [], script_runtime: runtime } = resources ?? {};
    const secrets = bindings.filter(({ type }) => type.startsWith("secret_"));
    return workerOf(bindings, secrets, runtime?.limits ?? null, runtime?.migration_tag ?? null);
  }

  async deploy(versions: readonly Share[], message: string): Promise<void> {
    const annotations = { "workers/message": message };
    await this.#api.send("POST", `${this.#path}/deployments${FORCE}`, {
      strategy: "percentage",
      versions,
      annotations,
    });
  }

  /** Those of this release replace those of the one before. */
  async schedule(crons: readonly string[]): Promise<void> {
    await this.#api.send(
      "PUT",
      `${this.#path}/schedules`,
      crons.map((cron) => ({ cron })),
    );
  }
}
