/**
 * The whole Worker on a separate socket, with custom settings: the deployed bundle, in workerd, with a real D1. The URL
 * of a request determines its host.
 */
import { tmpdir } from "node:os";

import { type HostReply, type HostRequest, requestHost } from "../../src/cli/deployment/host-request.ts";
import type { Mode } from "../../src/core/account.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "./accounts.ts";
import { jsonRequest } from "./api-client.ts";
import { type ApiResponse, readResponse } from "./api-response.ts";
import { bundleModules } from "./bundle.ts";
import { freePort } from "./ports.ts";
import { bindingsOf, Workerd } from "./workerd.ts";

export const API_URL = "http://api.hop.example";

const SETTINGS = {
  BASE_URL: API_URL,
  SHORT_DOMAIN: "hop.example",
  TEST_SHORT_DOMAIN: "t.hop.example",
  CDN_URL: "http://cdn.hop.example",
  CNAME_TARGET: "customers.hop.example",
};

export class HarnessServer {
  readonly #workerd: Workerd;
  readonly #address: string;

  static async start(settings: Record<string, string>): Promise<HarnessServer> {
    const port = await freePort();
    const bindings = bindingsOf(SETTINGS.SHORT_DOMAIN, { ...SETTINGS, ...settings });
    const service = { name: "service", code: await bundleModules("src/worker.ts"), port, ...bindings };
    const workerd = await Workerd.start([service], { storageFolder: tmpdir(), keepLog: "workers" });
    await workerd.migratedDatabase("service");
    return new HarnessServer(workerd, `127.0.0.1:${port}`);
  }

  private constructor(workerd: Workerd, address: string) {
    this.#workerd = workerd;
    this.#address = address;
  }

  stop(): Promise<void> {
    return this.#workerd.stop();
  }

  /** Everything that the Worker has logged. */
  get log(): string {
    return this.#workerd.log.join("\n");
  }

  database(): Promise<D1Database> {
    return this.#workerd.database("service");
  }

  /** Runs the cron job of each minute. Its background work is awaited by its effects. */
  runCron(): Promise<void> {
    return this.#workerd.runCron("service");
  }

  /** Redirects are not followed. */
  async visit(url: string, method = "GET"): Promise<{ status: number; location: string | null }> {
    const { status, location } = await this.#request(url, { method });
    return { status, location };
  }

  async call(key: string, method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const { status, headers, body: text } = await this.#request(API_URL + path, jsonRequest(key, method, body));
    return readResponse({ status, headers, text: async () => text });
  }

  #request(url: string, request: HostRequest): Promise<HostReply> {
    return requestHost(url, request, this.#address);
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
