/** Servers to measure: Hoplink, the floor that it is compared with, and the benchmark's Workers. One core each. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";

import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "../support/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { freePort } from "../support/ports.ts";
import {
  bindingsOf,
  objectBindings,
  Workerd,
  type WorkerdOptions,
  type WorkerModule,
  type WorkerOptions,
} from "../support/workerd.ts";

/** The core that servers run on; the load generator has a separate one. */
const SERVER_CORE = "0";

export interface Server {
  url: string;
  workerd: Workerd;
  /** Process id of workerd. */
  pid: number;
  stop: () => Promise<void>;
}

export interface HoplinkServer extends Server {
  database: D1Database;
  accountId: string;
  /** A premium account's live key. */
  key: string;
  /** Issues another live key of the account. */
  newKey: () => Promise<string>;
  /** The API with the first key. */
  api: ApiClient;
}

export interface HoplinkOptions extends Pick<WorkerdOptions, "inspectorPort"> {
  /** Whether links' and accounts' objects run in a separate isolate, called `objects`, as most do when deployed. */
  objectsApart?: boolean;
  /** Whether visitors specify their location by headers, as in development. */
  visitorHeaders?: boolean;
  /** More variables. */
  vars?: Record<string, string>;
}

/** The deployed Worker with its bindings, simulated by the same runtime. Only the rate limits are disabled. */
export async function startHoplink(
  script: string | WorkerModule[],
  options: HoplinkOptions = {},
): Promise<HoplinkServer> {
  const { inspectorPort, objectsApart = false, visitorHeaders = false, vars: more } = options;
  const port = await freePort();
  const vars = { DEV_VISITOR_HEADERS: visitorHeaders ? "1" : "0", MAINTENANCE_CALLS: "32", ...more };
  const bindings = (objectsIn?: string) => bindingsOf(`127.0.0.1:${port}`, vars, objectsIn);
  const others = objectsApart ? [{ name: "objects", code: script, ...bindings() }] : [];
  const hoplink = { name: "hoplink", code: script, port, ...bindings(objectsApart ? "objects" : undefined) };
  const server = await startServer([hoplink, ...others], { storageFolder: memoryFolder(), inspectorPort });
  const database = await server.workerd.migratedDatabase("hoplink");
  const account = await newTestAccount({ DB: database });
  const newKey = () => issueKeyText({ DB: database }, account.id, "live", "bench");
  const key = await newKey();
  return { ...server, database, accountId: account.id, key, newKey, api: new ApiClient(server.url, key) };
}

/**
 * In memory where the system offers it: deployed objects and D1 store elsewhere, so that a redirect's isolate never
 * waits for a disk. Here they share its only thread.
 */
function memoryFolder(): string {
  return existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
}

/** The baseline of all measurements: a Worker that only answers a constant redirect. */
export async function startFloor(): Promise<Server> {
  const code = `export default { fetch() { return new Response(null, {
    status: 302, headers: { Location: "https://example.com/", "Cache-Control": "private, no-store" } }); } }`;
  return startServer([{ name: "floor", code, port: await freePort() }]);
}

/** Objects of links without anything around them (log-worker.ts). */
export async function startLogServer(code: string): Promise<Server> {
  const d1Databases = { DB: "log" };
  const durableObjects = objectBindings(undefined, ["LINK_CLICKS"]);
  const worker = { name: "log", code, port: await freePort(), d1Databases, durableObjects };
  const server = await startServer([worker], { storageFolder: memoryFolder() });
  // The first clicks are old, so their object checks whether the link was erased.
  await server.workerd.migratedDatabase("log");
  return server;
}

/** @param workers  of which the first listens */
export async function startServer(
  workers: readonly [WorkerOptions & { port: number }, ...WorkerOptions[]],
  options: WorkerdOptions = {},
): Promise<Server> {
  const workerd = await Workerd.start(workers, options);
  const { pid } = workerd;
  execFileSync("taskset", ["-a", "-c", "-p", SERVER_CORE, String(pid)], { stdio: "ignore" });
  return { url: `http://127.0.0.1:${workers[0].port}`, workerd, pid, stop: () => workerd.stop() };
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
  return memoryOf(pid, "VmRSS");
}

/** The part of a process's resident memory that is its program and files, in bytes. */
export function residentFileBytes(pid: number): number {
  return memoryOf(pid, "RssFile") + memoryOf(pid, "RssShmem");
}

/** The peak resident memory of a process in bytes. */
export function peakBytes(pid: number): number {
  return memoryOf(pid, "VmHWM");
}

function memoryOf(pid: number, field: string): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
}
