/** An installation that is backed up or restored into: the Worker in workerd, under the host of its links. */
import { tmpdir } from "node:os";

import { type HostReply, requestHost } from "../../src/cli/deployment/host-request.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import { runAdminWith } from "./admin-command.ts";
import { jsonRequest } from "./api-client.ts";
import { bundleModules } from "./bundle.ts";
import { freePort } from "./ports.ts";
import { bindingsOf, Workerd } from "./workerd.ts";

const HOST = "go.example.com";
const BASE_URL = `http://${HOST}`;
const HOUR_MS = 3_600_000;

export class Installation {
  readonly #workerd: Workerd;
  readonly #edgeAddress: string;

  static async start(): Promise<Installation> {
    const port = await freePort();
    const service = { name: "service", code: await bundleModules("src/worker.ts"), port, ...bindingsOf(HOST, {}) };
    const workerd = await Workerd.start([service], { storageFolder: tmpdir(), keepLog: "workers" });
    await workerd.migratedDatabase("service");
    return new Installation(workerd, `127.0.0.1:${port}`);
  }

  private constructor(workerd: Workerd, edgeAddress: string) {
    this.#workerd = workerd;
    this.#edgeAddress = edgeAddress;
  }

  database(): Promise<D1Database> {
    return this.#workerd.database("service");
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

  /** Runs a command of the operator that calls the installation. */
  async admin(...args: string[]): Promise<void> {
    const OPERATOR_TOKEN = await issueOperatorToken({ DB: await this.database() }, "backup", HOUR_MS, Date.now());
    process.env.EDGE_ADDRESS = this.#edgeAddress;
    try {
      await runAdminWith({ OPERATOR_TOKEN }, [...args, "--remote", "--url", BASE_URL]);
    } finally {
      delete process.env.EDGE_ADDRESS;
    }
  }

  stop(): Promise<void> {
    return this.#workerd.stop();
  }
}
