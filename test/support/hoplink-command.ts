/** The command `hoplink` as in the package, with separate files. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { finished } from "node:stream/promises";

// Before the process changes its folder: esbuild, which wrangler loads, remembers the folder and cannot start without it.
import "wrangler";

import { writeCommand } from "../../src/cli/build-client.ts";
import { interrupted } from "../../src/client/cli/errors.ts";
import { Io } from "../../src/client/cli/io.ts";
import { main } from "../../src/client/cli/main.ts";
import { eventually } from "./eventually.ts";
import { Terminal } from "./terminal.ts";

/** The Node that runs it; `test/compat` sets others. */
const { HOPLINK_NODE: NODE = process.execPath } = process.env;

/** Only Linux has one to write to. */
export const HAS_FULL_DISK = existsSync("/dev/full");

type Environment = Record<string, string | undefined>;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command in the background. */
export interface RunningCommand {
  /** Output so far. */
  printed: { stdout: string; stderr: string };
  /** The exit code. */
  end: Promise<number | null>;
  /** Interrupts it as Ctrl-C does. @returns its exit code, once it has ended */
  interrupt: () => Promise<number | null>;
}

export interface RunningProcess extends RunningCommand {
  /** @returns its exit code, once it has ended */
  kill: (signal: NodeJS.Signals) => Promise<number | null>;
}

export class HoplinkCommand {
  /** The folder of its files. */
  readonly folder: string;
  readonly #script: string;
  /** The previous folder of the process. */
  readonly #cwdBefore = process.cwd();
  /** Variables of each run. */
  environment: Environment = {};

  private constructor(folder: string, script: string) {
    this.folder = folder;
    this.#script = script;
  }

  /** From here on, the process is in the command's folder, because files are named relative to it. */
  static async build(): Promise<HoplinkCommand> {
    const folder = mkdtempSync(join(tmpdir(), "hoplink-command-"));
    const script = await writeCommand(folder);
    const command = new HoplinkCommand(folder, script);
    process.chdir(folder);
    return command;
  }

  get configFile(): string {
    return join(this.folder, "config/hoplink/config.json");
  }

  /** Runs without a terminal, and in this process unless another Node is to run it. */
  async run(args: readonly string[], { input = "", env = {} as Environment } = {}): Promise<Ended> {
    if (process.env.HOPLINK_NODE) return this.runBuilt(args, { input, env });
    const streams = { stdin: Readable.from([input]), stdout: new PassThrough(), stderr: new PassThrough() };
    const printed = Promise.all([text(streams.stdout), text(streams.stderr)]);
    const code = await main(args, new Io({ ...streams, env: this.#env(env) }, new AbortController().signal));
    streams.stdout.end();
    streams.stderr.end();
    const [stdout, stderr] = await printed;
    return { code, stdout, stderr };
  }

  /** Runs in a separate process, as in the package. */
  async runBuilt(args: readonly string[], { input = "", env = {} as Environment } = {}): Promise<Ended> {
    const child = this.start(args, env);
    child.stdin.on("error", () => {}).end(input);
    const code = new Promise<number | null>((done) => child.once("close", done));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await code, stdout, stderr };
  }

  /** @returns its output @throws when it did not end with 0 */
  async print(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args);
    if (code !== 0) throw new Error(`hoplink ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** The first value that it prints. */
  async json(...args: string[]) {
    return JSON.parse((await this.print(...args, "--json")).split("\n")[0] ?? "");
  }

  start(args: readonly string[], env: Environment = {}): ChildProcessWithoutNullStreams {
    return spawn(NODE, [this.#script, ...args], { env: this.#env(env), cwd: this.folder });
  }

  /** Runs in this process, as `run` does. */
  inBackground(args: readonly string[], env: Environment = {}): RunningCommand {
    if (process.env.HOPLINK_NODE) return this.asProcess(args, env);
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const printed = { stdout: "", stderr: "" };
    stdout.setEncoding("utf8").on("data", (text: string) => (printed.stdout += text));
    stderr.setEncoding("utf8").on("data", (text: string) => (printed.stderr += text));
    const interruption = new AbortController();
    const io = new Io({ stdin: Readable.from([]), stdout, stderr, env: this.#env(env) }, interruption.signal);
    const end = main(args, io).finally(() => Promise.all([finished(stdout.end()), finished(stderr.end())]));
    return { printed, end, interrupt: () => (interruption.abort(interrupted()), end) };
  }

  /** Runs in a separate process, which can be killed. */
  asProcess(args: readonly string[], env: Environment = {}): RunningProcess {
    const child = this.start(args, env);
    const printed = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.stderr += text));
    const end = new Promise<number | null>((done) => child.once("close", done));
    const kill = (signal: NodeJS.Signals) => (child.kill(signal), end);
    return { printed, end, kill, interrupt: () => kill("SIGINT") };
  }

  /** Follows clicks. Returns once the stream is open: then a cursor file appears, and no later click is missed. */
  async tail(args: readonly string[], cursor: string): Promise<RunningCommand> {
    const running = this.inBackground(["tail", ...args, "--cursor", cursor]);
    await eventually(() => existsSync(cursor), "the first cursor");
    return running;
  }

  inTerminal(args: readonly string[], env: Environment = {}): Terminal {
    const variables = Object.entries(this.#env(env)).filter((one): one is [string, string] => one[1] !== undefined);
    return new Terminal(NODE, [this.#script, ...args], this.folder, Object.fromEntries(variables), env.TERM);
  }

  /** An environment for shells, in which `hoplink` is a command. */
  shellEnvironment(): Record<string, string> {
    const command = join(this.folder, "hoplink");
    // Written once, since a shell of an earlier test may still run it.
    if (!existsSync(command)) {
      writeFileSync(command, `#!/bin/sh\nexec ${NODE} ${this.#script} "$@"\n`, { mode: 0o755 });
    }
    return definedOf({ ...this.#env({}), PATH: `${this.folder}:${process.env.PATH}` });
  }

  remove(): void {
    process.chdir(this.#cwdBefore);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #env(env: Environment): Environment {
    const { PATH, HOME } = process.env;
    const folders = {
      XDG_CONFIG_HOME: join(this.folder, "config"),
      XDG_STATE_HOME: join(this.folder, "state"),
      // Tests start it a hundred times.
      NODE_COMPILE_CACHE: join(this.folder, "compiled"),
    };
    return { PATH, HOME, TZ: "UTC", ...folders, ...this.environment, ...env };
  }
}

function definedOf(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined));
}
