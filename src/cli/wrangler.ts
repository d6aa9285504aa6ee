/** Runs wrangler as a child process, without its own messages. */
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

import { SetupError } from "./command.ts";

const require = createRequire(import.meta.url);

/** The program itself: `bin/wrangler.js` would only start it, in another process. */
const WRANGLER_PATH = require.resolve("wrangler");
/** Required, because with `--import` Node parses all of wrangler once more. */
const END_WITH_PARENT_PATH = require.resolve("./end-with-parent.cjs");

/** Where Node caches compiled code of wrangler, which has 15 MB of source. */
export const COMPILE_CACHE_PATH = resolve(import.meta.dirname, "../../node_modules/.cache/node");

/**
 * Disables features that development does not need: fetching `cf` data, telemetry, and traces of every request. Traces
 * go into a database beside the data, which grows by 2.5 kB a request while the server runs.
 */
export const QUIET_ENV = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  X_LOCAL_OBSERVABILITY: "false",
  NODE_COMPILE_CACHE: COMPILE_CACHE_PATH,
};

/** Starts wrangler in a separate process group, so that it can be stopped with all its children. */
export function startWrangler(
  args: string[],
  output: "inherit" | "pipe",
  environment: Record<string, string> = {},
): ChildProcess {
  const ownArgs = ["--no-warnings", "--require", END_WITH_PARENT_PATH, WRANGLER_PATH];
  return spawn(process.execPath, [...ownArgs, ...args], {
    stdio: ["ignore", output, output],
    detached: true,
    env: { ...process.env, ...QUIET_ENV, ...environment },
  });
}

const READY_TIMEOUT_MS = 60_000;
const READY_POLL_MS = 20;

/** Starts `wrangler dev`, which prints only errors. */
export function startServer(port: number, args: readonly string[]): ChildProcess {
  const quiet = ["--log-level", "error", "--show-interactive-dev-session=false", "--inspector-port", "0"];
  return startWrangler(["dev", ...args, "--port", String(port), ...quiet], "inherit");
}

/** @returns whether a server responds at an address, before it exits and within a minute */
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
 * Waits for wrangler's exit. A command that ends first, e.g. by Ctrl-C, also ends wrangler's separate process group.
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
 * Runs wrangler and waits for its exit.
 * @param environment  additional environment variables
 * @returns its output
 * @throws SetupError with its output if it fails
 */
export async function runWrangler(args: string[], environment: Record<string, string> = {}): Promise<string> {
  const child = startWrangler(args, "pipe", environment);
  const output = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ""));
  const [code, printed = "", errorOutput = ""] = await Promise.all([endOfWrangler(child), ...output]);
  if (code !== 0) throw new SetupError(`wrangler ${args.slice(0, 3).join(" ")} failed:\n${errorOutput || printed}`);
  return printed;
}
