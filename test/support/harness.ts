/**
 * The whole Worker on a separate socket, with custom settings: the deployed bundle, in workerd, with a real D1. The URL
 * of a request determines its host.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestHarness } from "wrangler";

import { developmentConfigPath } from "../../src/cli/development-config.ts";

import type { Mode } from "../../src/core/account.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "./accounts.ts";
import { TESTED_DATABASES, TESTED_SETTING } from "./database-count.ts";
import { jsonRequest } from "./api-client.ts";
import { type ApiResponse, readResponse } from "./api-response.ts";

export const API_URL = "http://api.hop.example";

const SETTINGS = {
  BASE_URL: API_URL,
  SHORT_DOMAIN: "hop.example",
  TEST_SHORT_DOMAIN: "t.hop.example",
  CDN_URL: "http://cdn.hop.example",
  CNAME_TARGET: "customers.hop.example",
  WORKERS_PLAN: "paid",
  BETTER_AUTH_SECRET: "the tests' own secret, 32 characters or more",
};

export class HarnessServer {
  readonly #harness: ReturnType<typeof createTestHarness>;
  /** Folder of the configuration. */
  readonly #folder: string;

  static async start(settings: Record<string, string>): Promise<HarnessServer> {
    const folder = mkdtempSync(join(tmpdir(), "hoplink-harness-"));
    const configPath = await developmentConfigPath(folder, TESTED_SETTING.LINK_DATABASES);
    const server = new HarnessServer(configPath, folder, { ...SETTINGS, ...TESTED_SETTING, ...settings });
    await server.#harness.listen();
    const worker = server.#harness.getWorker<{ DB: D1Database }>();
    for (const binding of TESTED_DATABASES) await worker.applyD1Migrations(binding as "DB");
    return server;
  }

  private constructor(configPath: string, folder: string, vars: Record<string, string>) {
    this.#harness = createTestHarness({ workers: [{ configPath, vars }] });
    this.#folder = folder;
  }

  async stop(): Promise<void> {
    await this.#harness.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Everything that the Worker has logged. */
  get log(): string {
    return JSON.stringify(this.#harness.getLogs());
  }

  async database(): Promise<D1Database> {
    return (await this.#harness.getWorker<{ DB: D1Database }>().getEnv()).DB;
  }

  /** Runs the cron job of each minute. Its background work is awaited by its effects. */
  async runCron(): Promise<void> {
    await this.#harness.getWorker().scheduled({ cron: "* * * * *" });
  }

  /** Redirects are not followed. */
  async visit(url: string, method = "GET"): Promise<{ status: number; location: string | null }> {
    const response = await this.#harness.fetch(url, { method, redirect: "manual" });
    await response.arrayBuffer();
    return { status: response.status, location: response.headers.get("Location") };
  }

  async call(key: string, method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const response = await this.#harness.fetch(API_URL + path, jsonRequest(key, method, body));
    return readResponse(response as unknown as Response);
  }

  /** Creates an account and returns a client for its API. */
  async account(mode: Mode = "live"): Promise<HarnessAccount> {
    const DB = await this.database();
    const { id } = await newTestAccount({ DB });
    return new HarnessAccount(this, id, await issueKeyText({ DB }, id, mode, "test"));
  }
}

export class HarnessAccount {
  readonly #server: HarnessServer;
  readonly id: string;
  readonly #key: string;

  constructor(server: HarnessServer, id: string, key: string) {
    this.#server = server;
    this.id = id;
    this.#key = key;
  }

  call(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    return this.#server.call(this.#key, method, path, body);
  }

  /** The same account with a key of the other mode. */
  async withKey(mode: Mode): Promise<HarnessAccount> {
    const DB = await this.#server.database();
    return new HarnessAccount(this.#server, this.id, await issueKeyText({ DB }, this.id, mode, "test"));
  }
}
