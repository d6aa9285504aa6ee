/** Versions of a deployed Worker, and the shares of its visitors that they get. */
import type { CloudflareApi } from "../cloudflare/api.ts";
import type { CloudAccount } from "./cloud-account.ts";
import type { Deployment, Share, Version } from "./shares.ts";

/** The API refuses a version with other secrets than those of today, unless it is told that this is meant. */
const FORCE = "?force=true";

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

  /** @returns up to where the Durable Object migrations were applied for it; null where Cloudflare does not say */
  async migrationTag(version: string): Promise<string | null> {
    interface Details {
      resources?: { script_runtime?: { migration_tag?: string } };
    }
    const { resources } = await this.#api.get<Details>(`${this.#path}/versions/${version}`);
    return resources?.script_runtime?.migration_tag ?? null;
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
