/** The development server as a newcomer starts it: a separate process, on a free port, with separate data. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { freePort } from "./ports.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const READY_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 15_000;
/** Nothing listens there, so that no test reaches a host of the real web: the dashboard shows icons of destinations. */
const NO_RESOLVER = "http://127.0.0.1:9/dns-query";

export type Plan = "Premium" | "Free";

export interface Account {
  email: string;
  password: string;
  /** API keys. */
  live: string;
  test: string;
}

export interface DevServer {
  accounts: Record<Plan, Account>;
  port: number;
  base: string;
  /** Its output until it was ready. */
  output: string;
  /** The folder of its data. */
  folder: string;
  /** Ends it as Ctrl-C does. @returns its exit code */
  stop: () => Promise<number | null>;
  /** Kills it without warning. */
  kill: () => void;
  /** Ends it and removes its data. */
  remove: () => Promise<void>;
}

/**
 * @param settings  environment variables that the development server reads
 * @param folder  for its data; a new one when not given
 * @param args  more of its arguments
 * @param root  the project's folder: this one, or a copy of it
 */
export async function startDevServer(
  settings: Record<string, string> = {},
  folder = mkdtempSync(join(tmpdir(), "hoplink-dev-")),
  args: readonly string[] = [],
  root = ROOT,
): Promise<DevServer> {
  const port = settings.PORT ? Number(settings.PORT) : await freePort();
  const child = spawn(process.execPath, ["src/cli/dev.ts", "--persist-to", folder, ...args], {
    cwd: root,
    env: { ...process.env, DOH_URL: NO_RESOLVER, ...settings, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = await outputUntil(child, "Ctrl-C");
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = new Promise<number | null>((done) => child.once("exit", done));
    child.kill("SIGINT");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    const code = await ended;
    clearTimeout(timer);
    return code;
  };
  const kill = () => void child.kill("SIGKILL");
  const remove = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const accounts = { Premium: printedAccount(printed, "Premium"), Free: printedAccount(printed, "Free") };
  return { accounts, port, base: `http://localhost:${port}`, output: printed, folder, stop, kill, remove };
}

function printedAccount(output: string, plan: Plan): Account {
  const part = output.slice(output.indexOf(`  ${plan} `));
  const email = /\S+@\S+/.exec(part)?.[0];
  const password = /password\s+(\S+)/.exec(part)?.[1];
  const live = /svc_live_\w+/.exec(part)?.[0];
  const test = /svc_test_\w+/.exec(part)?.[0];
  if (!email || !password || !live || !test) throw new Error(`no account in the server's output:\n${output}`);
  return { email, password, live, test };
}

function outputUntil(child: ChildProcess, mark: string): Promise<string> {
  return new Promise((done, fail) => {
    let printed = "";
    const timer = setTimeout(() => {
      // Ended here, because nothing else refers to it: it would slow down all later tests.
      child.kill("SIGINT");
      fail(new Error(`not ready in time:\n${printed}`));
    }, READY_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      printed += String(chunk);
      if (!printed.includes(mark)) return;
      clearTimeout(timer);
      done(printed);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => fail(new Error(`ended with ${code}:\n${printed}`)));
  });
}
