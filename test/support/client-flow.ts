/** One program with the npm package (`test/client/runtimes`), with the same result in every runtime. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { type ClientProject, clientProject } from "./client-package.ts";
import { type DevServer, startDevServer } from "./dev-server.ts";

const SOURCES = resolve(import.meta.dirname, "../client/runtimes");
export const FLOW_TIMEOUT_MS = 120_000;

export const FLOW_RESULT = {
  link: [true, "Spring"],
  errors: ["slug_taken", "precondition_failed", "link_not_found", "invalid_api_key"],
  many: [120, 121, 120, 120],
  rest: [true, "pending", 1, "live"],
  stream: [2, true, true],
  clicks: [3, 3, [1, 2, 3]],
  aborted: "AbortError",
};

const run = promisify(execFile);

export class ClientFlow {
  readonly #server: DevServer;
  readonly #project: ClientProject;
  /** The program, in JavaScript. */
  readonly code = stripTypeScriptTypes(readFileSync(join(SOURCES, "flow.ts"), "utf8"));

  private constructor(server: DevServer, project: ClientProject) {
    this.#server = server;
    this.#project = project;
    writeFileSync(join(project.folder, "flow.js"), this.code);
    writeFileSync(join(project.folder, "main.js"), readFileSync(join(SOURCES, "main.js")));
  }

  /** @param server  one to use, instead of a new one */
  static async start(server = startDevServer()): Promise<ClientFlow> {
    return new ClientFlow(...(await Promise.all([server, clientProject()])));
  }

  /** The package as one module. */
  get packageCode(): string {
    return readFileSync(join(this.#project.folder, "node_modules/hoplink/index.js"), "utf8");
  }

  get settings(): { baseUrl: string; apiKey: string } {
    return { baseUrl: this.#server.base, apiKey: this.#server.accounts.Premium.live };
  }

  /** @param program  of a runtime @param args  before the file to run @returns the result */
  async runBy(program: string, args: readonly string[] = []): Promise<unknown> {
    const { baseUrl, apiKey } = this.settings;
    const env = { ...process.env, BASE: baseUrl, KEY: apiKey };
    const options = { cwd: this.#project.folder, env, timeout: FLOW_TIMEOUT_MS };
    const { stdout } = await run(program, [...args, "main.js"], options);
    return JSON.parse(stdout);
  }

  async remove(): Promise<void> {
    await Promise.all([this.#project.remove(), this.#server.remove()]);
  }
}
