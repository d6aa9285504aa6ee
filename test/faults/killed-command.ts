/** The operator's command, killed at one of its requests: a proxy in front of the installation sees them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { resolve } from "node:path";

import { listenOnFreePort } from "../support/ports.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Random delay after the request, so that the command is also cut while it writes files. */
const KILL_DELAY_MAX_MS = 20;

export class CommandRunner {
  readonly #server: Server;
  readonly #token: string;
  #url = "";
  #requests = 0;
  #killAt = Infinity;
  #child: ChildProcess | null = null;
  /** Called before each request of the command reaches the installation. */
  beforeRequest: (path: string) => Promise<void> = async () => {};

  /** @param target  the installation @param token  of an operator */
  static async start(target: string, token: string): Promise<CommandRunner> {
    const runner = new CommandRunner(target, token);
    runner.#url = `http://127.0.0.1:${await listenOnFreePort(runner.#server)}`;
    return runner;
  }

  private constructor(target: string, token: string) {
    this.#token = token;
    this.#server = createServer((incoming, outgoing) => {
      if (++this.#requests === this.#killAt) {
        setTimeout(() => this.#child?.kill("SIGKILL"), Math.random() * KILL_DELAY_MAX_MS);
      }
      this.beforeRequest(incoming.url ?? "").then(
        () => forward(target, incoming, outgoing),
        () => outgoing.destroy(),
      );
    });
  }

  /** @returns its output @throws Error when it fails */
  async run(...args: string[]): Promise<string> {
    const { code, printed } = await this.#spawn(args, Infinity);
    if (code !== 0) throw new Error(`${args[0]} ended with ${code}:\n${printed}`);
    return printed;
  }

  /** @returns whether it was killed: it may have ended before */
  async runUntilRequest(killAt: number, ...args: string[]): Promise<boolean> {
    const { code, signal, printed } = await this.#spawn(args, killAt);
    if (signal === "SIGKILL") return true;
    if (code !== 0) throw new Error(`${args[0]} ended with ${code}:\n${printed}`);
    return false;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #spawn(args: readonly string[], killAt: number) {
    [this.#requests, this.#killAt] = [0, killAt];
    const child = spawn(process.execPath, ["src/cli/admin.ts", ...args, "--url", this.#url], {
      cwd: ROOT,
      env: { ...process.env, OPERATOR_TOKEN: this.#token },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    let printed = "";
    for (const output of [child.stdout, child.stderr]) output.on("data", (chunk: Buffer) => (printed += String(chunk)));
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return { code, signal, printed };
  }
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const options = { method: incoming.method, headers: incoming.headers };
  const forwarded = httpRequest(target + (incoming.url ?? ""), options, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on("error", () => outgoing.destroy());
  incoming.pipe(forwarded);
}
