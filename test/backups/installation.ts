/** An installation whose backup is kept, or which takes a kept one: the Worker in workerd, under the host of its links. */
import { tmpdir } from "node:os";
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";

import { type HostReply, requestHost } from "../../src/cli/deployment/host-request.ts";
import { HOME_DATABASE } from "../../src/core/links/database-map.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import type { SeedRequest } from "../faults/seed-worker.ts";
import { jsonRequest } from "../support/api-client.ts";
import { bundle, bundleModules } from "../support/bundle.ts";
import { freePort } from "../support/ports.ts";
import { bindingsOf, objectBindings, Workerd } from "../support/workerd.ts";

export const HOST = "go.example.com";
const BASE_URL = `http://${HOST}`;
const ROOT = resolve(import.meta.dirname, "../..");
const SIGN_IN = "/dashboard/api/auth/sign-in/email";
const HOUR_MS = 3_600_000;
/** Ids of the first format carry no bucket, so that all its links go into one database. */
const DATABASES = [HOME_DATABASE];

export class Installation {
  readonly #workerd: Workerd;
  readonly #edgeAddress: string;

  static async start(): Promise<Installation> {
    const port = await freePort();
    const bundles = [bundleModules("src/worker.ts"), bundle("test/faults/seed-worker.ts")] as const;
    const [code, seedCode] = await Promise.all(bundles);
    const bindings = bindingsOf(HOST, { LINK_DATABASES: "" }, undefined, DATABASES);
    const workers = [
      { name: "service", code, port, ...bindings },
      { name: "seed", code: seedCode, ...bindings, durableObjects: objectBindings("service") },
    ];
    const workerd = await Workerd.start(workers, { storageFolder: tmpdir(), keepLog: "workers" });
    await workerd.migratedDatabase("service", DATABASES);
    return new Installation(workerd, `127.0.0.1:${port}`);
  }

  private constructor(workerd: Workerd, edgeAddress: string) {
    this.#workerd = workerd;
    this.#edgeAddress = edgeAddress;
  }

  database(): Promise<D1Database> {
    return this.#workerd.database("service");
  }

  /** Records clicks of the past. */
  async seed(request: SeedRequest): Promise<void> {
    const seeder = await this.#workerd.worker("seed");
    const response = await seeder.fetch("http://seed/", { method: "POST", body: JSON.stringify(request) });
    if (!response.ok) throw new Error(`clicks not recorded: ${await response.text()}`);
    await response.text();
  }

  visit(url: string): Promise<HostReply> {
    return requestHost(url, {}, this.#edgeAddress);
  }

  /** @throws Error when the request is refused */
  async call(key: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const reply = await requestHost(BASE_URL + path, jsonRequest(key, method, body), this.#edgeAddress);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.body}`);
    return reply.body === "" ? {} : (JSON.parse(reply.body) as Record<string, unknown>);
  }

  signIn(email: string, password: string): Promise<HostReply> {
    const body = JSON.stringify({ email, password });
    const headers = { Origin: BASE_URL, "Content-Type": "application/json" };
    return requestHost(`${BASE_URL}${SIGN_IN}`, { method: "POST", headers, body }, this.#edgeAddress);
  }

  /** Runs a command of the operator that speaks with the installation. */
  async admin(...args: string[]): Promise<void> {
    const OPERATOR_TOKEN = await issueOperatorToken({ DB: await this.database() }, "backup", HOUR_MS, Date.now());
    const command = ["src/cli/admin.ts", ...args, "--remote", "--url", BASE_URL];
    const env = { ...process.env, OPERATOR_TOKEN, EDGE_ADDRESS: this.#edgeAddress };
    await promisify(execFile)(process.execPath, command, { cwd: ROOT, env });
  }

  stop(): Promise<void> {
    return this.#workerd.stop();
  }
}
