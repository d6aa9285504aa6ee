/** Runs wrangler as a child process, without its own messages. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";

import { SetupError } from "./deployment/setup-error.ts";

/** The program itself: `bin/wrangler.js` would only start it, in another process. */
const WRANGLER_PATH = createRequire(import.meta.url).resolve("wrangler");

/** Where Node keeps what it has compiled of wrangler, 15 MB of source. */
export const COMPILE_CACHE_PATH = resolve(import.meta.dirname, "../../node_modules/.cache/node");

/** A process that is killed outright passes no signal on: its children end when they get another parent. */
const END_WITH_PARENT =
  "const parent = process.ppid; setInterval(() => process.ppid === parent || process.kill(-process.pid), 500).unref()";

/**
 * Disables what development does not need: fetching `cf` data, telemetry, and traces of every request into a database
 * beside the data, which grow by 2.5 kB a request while the server runs.
 */
const QUIET_ENV = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  X_LOCAL_OBSERVABILITY: "false",
  NODE_COMPILE_CACHE: COMPILE_CACHE_PATH,
};

/** Starts wrangler in a process group of its own, so that it can be stopped with all its children. */
export function startWrangler(
  args: string[],
  output: "inherit" | "pipe",
  environment: Record<string, string> = {},
): ChildProcess {
  const ownArgs = ["--no-warnings", "--import", `data:text/javascript,${encodeURIComponent(END_WITH_PARENT)}`];
  return spawn(process.execPath, [...ownArgs, WRANGLER_PATH, ...args], {
    stdio: ["ignore", output, output],
    detached: true,
    env: { ...process.env, ...QUIET_ENV, ...environment },
  });
}

const READY_TIMEOUT_MS = 60_000;
const READY_POLL_MS = 20;

/** Starts `wrangler dev`, which prints errors alone. */
export function startServer(port: number, args: readonly string[]): ChildProcess {
  const quiet = ["--log-level", "error", "--show-interactive-dev-session=false", "--inspector-port", "0"];
  return startWrangler(["dev", ...args, "--port", String(port), ...quiet], "inherit");
}

/** @returns whether a server answers at an address, before it ends and within a minute */
export async function waitUntilReady(url: string, server: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (server.exitCode === null && server.signalCode === null && Date.now() < deadline) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return true;
    await new Promise((done) => setTimeout(done, READY_POLL_MS));
  }
  return false;
}

/**
 * Waits for wrangler's end. A command that ends before, as by Ctrl-C, takes it along, which is in a group of its own.
 * @returns its exit code
 */
export async function endOfWrangler(child: ChildProcess): Promise<number | null> {
  const end = () => void child.kill();
  process.once("exit", end);
  try {
    return await new Promise<number | null>((done, fail) => child.once("error", fail).once("close", done));
  } finally {
    process.off("exit", end);
  }
}

/**
 * Runs wrangler and waits for its end.
 * @param environment  more variables of its environment
 * @returns its output
 * @throws SetupError with its output when it fails
 */
export async function runWrangler(args: string[], environment: Record<string, string> = {}): Promise<string> {
  const child = startWrangler(args, "pipe", environment);
  let printed = "";
  let errorOutput = "";
  child.stdout?.on("data", (chunk: Buffer) => (printed += String(chunk)));
  child.stderr?.on("data", (chunk: Buffer) => (errorOutput += String(chunk)));
  const code = await endOfWrangler(child);
  if (code !== 0) throw new SetupError(`wrangler ${args.slice(0, 3).join(" ")} failed:\n${errorOutput || printed}`);
  return printed;
}
