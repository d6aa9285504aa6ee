/**
 * Starts Workers for measuring: the production bundle in workerd, on a socket of its own. The development proxy, which
 * is five to thirty times slower than workerd, is not in the way. Everything listens on 127.0.0.1.
 */
import { readD1Migrations } from "@cloudflare/vitest-plugin";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

import { createAccount, issueKeyText } from "../../src/store/accounts/accounts.ts";
import { freePort } from "../support/ports.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const COMPATIBILITY = { compatibilityDate: "2026-10-30", compatibilityFlags: ["enable_request_signal"] };

/** The core that servers run on; the load generator has another to itself. */
const SERVER_CORE = "0";

export interface Server {
  url: string;
  miniflare: Miniflare;
  /** Process id of workerd. */
  pid: number;
  stop: () => Promise<void>;
}

export interface Hoplink extends Server {
  /** A premium account's live key. */
  key: string;
  /** Another one. */
  newKey: () => Promise<string>;
}

export interface HoplinkOptions {
  /** Folder to keep the state in; one of its own, that goes with the server, when not given. */
  state?: string;
  /** For a debugger; 0 is any that is free. None when not given. */
  inspectorPort?: number;
  /** Whether links' and accounts' objects run in an isolate of their own, called `objects`, as most do when deployed. */
  objectsApart?: boolean;
  /** Whether visitors say by headers where they are, as in development. */
  visitorHeaders?: boolean;
}

/** Bundles the Worker, or another entry, as `wrangler deploy` does. @returns the script */
export function bundle(entry = "src/worker.ts", options: string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-bundle-"));
  wrangler(["deploy", entry, "--dry-run", "--outdir", folder, ...options]);
  const script = readFileSync(join(folder, `${basename(entry, ".ts")}.js`), "utf8");
  rmSync(folder, { recursive: true });
  return script;
}

/** Runs wrangler to its end in the project's folder. */
export function wrangler(args: string[]): void {
  const command = resolve(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false" };
  execFileSync(process.execPath, [command, ...args], { cwd: ROOT, stdio: "pipe", env });
}

/** The deployed Worker with its bindings, simulated by the same runtime. Only the rate limits are out of the way. */
export async function startHoplink(script: string, options: HoplinkOptions = {}): Promise<Hoplink> {
  const { state, inspectorPort, objectsApart, visitorHeaders = false } = options;
  const folder = state ?? mkdtempSync(join(memoryFolder(), "hoplink-bench-"));
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const objects = objectsApart ? { ...OBJECTS, scriptName: "objects" } : OBJECTS;
  const hoplink = { name: "hoplink", script, ...bindingsOf(host, objects, visitorHeaders) };
  const others = objectsApart ? [{ name: "objects", script, ...bindingsOf(host, OBJECTS, visitorHeaders) }] : [];
  const server = await start(port, { ...hoplink, folder, inspectorPort }, others);
  const DB = await migratedDatabase(server, "hoplink");
  const account = await createAccount({ DB }, "bench@example.com", "premium");
  if (!account) throw new Error("no account for the benchmark");
  const newKey = () => issueKeyText({ DB }, account.id, "live", "bench");
  const stop = async () => {
    await server.stop();
    if (!state) rmSync(folder, { recursive: true, force: true });
  };
  return { ...server, key: await newKey(), newKey, stop };
}

const OBJECTS: { useSQLite: boolean; scriptName?: string } = { useSQLite: true };

function bindingsOf(host: string, objects: typeof OBJECTS, visitorHeaders: boolean) {
  return {
    bindings: {
      BASE_URL: `http://${host}`,
      SHORT_DOMAIN: host,
      TEST_SHORT_DOMAIN: `test.${host}`,
      CDN_URL: `http://${host}/cdn`,
      DEV_VISITOR_HEADERS: visitorHeaders ? "1" : "0",
      MAINTENANCE_CALLS: "32",
      BETTER_AUTH_SECRET: "a secret of this server alone, of 32 characters or more",
    },
    d1Databases: { DB: "hoplink" },
    durableObjects: {
      LINK_CLICKS: { className: "LinkClicks", ...objects },
      ACCOUNT_FEED: { className: "AccountFeed", ...objects },
      MAINTENANCE: { className: "Maintenance", ...objects },
    },
    ratelimits: Object.fromEntries(
      ["RATE_FREE", "RATE_PREMIUM", "RATE_FREE_ACCOUNT", "RATE_PREMIUM_ACCOUNT"].map((name) => [
        name,
        { namespace_id: name, simple: { limit: 1_000_000, period: 60 } },
      ]),
    ),
  };
}

/**
 * In memory where the system offers it: deployed objects and D1 store elsewhere, so that a redirect's isolate never waits
 * for a disk. Here they share its one thread.
 */
function memoryFolder(): string {
  return existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
}

/** What everything is measured against: a Worker that does nothing but answer a constant redirect. */
export async function startFloor(): Promise<Server> {
  const script = `export default { fetch() { return new Response(null, {
    status: 302, headers: { Location: "https://example.com/", "Cache-Control": "private, no-store" } }); } }`;
  return start(await freePort(), { name: "floor", script });
}

/** Objects of links without anything around them (log-worker.ts). */
export async function startLogServer(script: string): Promise<Server> {
  const folder = mkdtempSync(join(memoryFolder(), "hoplink-bench-"));
  const server = await start(await freePort(), {
    name: "log",
    script,
    folder,
    d1Databases: { DB: "log" },
    durableObjects: { LINK_CLICKS: { className: "LinkClicks", useSQLite: true } },
  });
  // The first clicks are old, so their object asks whether the link was erased.
  await migratedDatabase(server, "log");
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...server, stop };
}

async function migratedDatabase({ miniflare }: Server, worker: string): Promise<D1Database> {
  const DB = await miniflare.getD1Database("DB", worker);
  for (const { queries } of await readD1Migrations(join(ROOT, "migrations"))) {
    for (const query of queries) await DB.prepare(query).run();
  }
  return DB;
}

interface WorkerOptions {
  name: string;
  script: string;
  /** Where what is stored lies. */
  folder?: string;
  inspectorPort?: number | undefined;
  [option: string]: unknown;
}

/** @param others  Workers beside the one that listens */
async function start(
  port: number,
  { folder, inspectorPort, ...worker }: WorkerOptions,
  others: WorkerOptions[] = [],
): Promise<Server> {
  const before = childrenOf(process.pid);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(folder === undefined ? {} : { resourcePersistencePath: folder }),
      ...(inspectorPort === undefined ? {} : { inspectorPort }),
      workers: [{ ...worker, unsafeDirectSockets: [{ host: "127.0.0.1", port }] }, ...others].map(
        ({ script, ...options }) => ({
          modules: [{ type: "ESModule", path: "worker.js", contents: script }],
          ...COMPATIBILITY,
          ...options,
        }),
      ),
    }),
  );
  await miniflare.ready;
  const pid = childrenOf(process.pid).find((child) => !before.includes(child));
  if (pid === undefined) throw new Error("workerd did not start");
  execFileSync("taskset", ["-a", "-c", "-p", SERVER_CORE, String(pid)], { stdio: "ignore" });
  return { url: `http://127.0.0.1:${port}`, miniflare, pid, stop: () => miniflare.dispose() };
}

/** CPU seconds a process has used, all threads. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
}
