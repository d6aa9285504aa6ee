/**
 * Workers in workerd, on 127.0.0.1: the only way in which the faults, the rollouts and the benchmark start servers.
 * They avoid the development proxy, which is five to thirty times slower than workerd. The Worker's bindings are read
 * from wrangler.toml.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { migrateLocally } from "../../src/cli/database.ts";
import { HOME_DATABASE } from "../../src/core/links/buckets.ts";
import { TESTED_DATABASES, TESTED_SETTING } from "./database-count.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Read as text: importing wrangler for it takes each test file two seconds. */
const CONFIG = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
const RATE_LIMIT = 1_000_000;

export interface WorkerModule {
  type: "ESModule" | "CompiledWasm";
  path: string;
  contents: string | Uint8Array<ArrayBuffer>;
}

/** The contents of one isolate. */
export interface WorkerOptions {
  name: string;
  /** One script, or modules, of which the first is the entry. */
  code: string | WorkerModule[];
  /** Where it listens; not at all when not given. */
  port?: number;
  [binding: string]: unknown;
}

export interface WorkerdOptions {
  /** Where storage gets a new folder, which is removed with the server; in memory when not given. */
  storageFolder?: string;
  /** A folder with the storage of an earlier server, which stays. */
  storage?: string;
  /** For a debugger; 0 is any free port. None when not given. */
  inspectorPort?: number | undefined;
  /** Keeps the logs of Workers and objects, or those of workerd itself as well. Printed when not given. */
  keepLog?: "workers" | "runtime";
}

export class Workerd {
  /** The log, if it is kept. */
  readonly log: string[] = [];
  /** The folder of the storage, if not in memory. */
  readonly folder: string | undefined;
  readonly #keepsFolder: boolean;
  readonly #miniflare: Miniflare;
  #pid = NaN;
  #restarted: (() => void) | undefined;

  static async start(workers: readonly WorkerOptions[], options: WorkerdOptions = {}): Promise<Workerd> {
    const others = runningWorkerds();
    const server = new Workerd(workers, options);
    await server.#miniflare.ready;
    server.#pid = newWorkerd(others);
    return server;
  }

  private constructor(workers: readonly WorkerOptions[], options: WorkerdOptions) {
    const { storageFolder, storage, inspectorPort, keepLog } = options;
    this.folder = storageFolder === undefined ? storage : mkdtempSync(join(storageFolder, "hoplink-workerd-"));
    this.#keepsFolder = storageFolder === undefined;
    this.#miniflare = new Miniflare(
      convertV4MiniflareOptions({
        workers: workers.map(miniflareOptions),
        ...(this.folder === undefined ? {} : { resourcePersistencePath: this.folder }),
        ...(inspectorPort === undefined ? {} : { inspectorPort }),
        ...(keepLog && { log: new Log(LogLevel.NONE), verbose: keepLog === "runtime" }),
        ...(keepLog && { handleStructuredLogs: ({ level, message }) => void this.log.push(`${level}: ${message}`) }),
        unsafeHandleRuntimeRestart: () => this.#restarted?.(),
      }),
    );
  }

  /** Process id of workerd. */
  get pid(): number {
    return this.#pid;
  }

  /** The database that a Worker is bound to: that of accounts, unless another is named. */
  database(worker: string, binding = "DB"): Promise<D1Database> {
    return this.#miniflare.getD1Database(binding, worker);
  }

  /** The database of accounts, once all have their tables. */
  async migratedDatabase(worker: string, bindings: readonly string[] = TESTED_DATABASES): Promise<D1Database> {
    const all = await Promise.all(bindings.map((binding) => this.database(worker, binding)));
    await migrateLocally(all);
    return this.database(worker);
  }

  /** The bucket that a Worker is bound to. */
  async bucket(worker: string): Promise<R2Bucket> {
    return (await this.#miniflare.getR2Bucket("QR_IMAGES", worker)) as unknown as R2Bucket;
  }

  /** The salts of visitors' hashes. */
  async salts(worker: string): Promise<KVNamespace> {
    return (await this.#miniflare.getKVNamespace("VISITOR_SALTS", worker)) as unknown as KVNamespace;
  }

  /** For calls to a Worker that listens nowhere. */
  worker(name: string): Promise<Fetcher> {
    return this.#miniflare.getWorker(name) as unknown as Promise<Fetcher>;
  }

  /** Runs a cron job, that of every minute or another. Its background work is awaited by its effects. */
  async runCron(worker: string, cron = "* * * * *"): Promise<void> {
    const scheduler = (await this.#miniflare.getWorker(worker)) as unknown as {
      scheduled(options: { cron: string }): Promise<unknown>;
    };
    await scheduler.scheduled({ cron });
  }

  /** Ends an object, as the platform does with idle ones. One that does not run is left as it is. */
  async evict(worker: string, className: string, name: string): Promise<void> {
    try {
      await this.#miniflare.unsafeEvictDurableObject(worker, className, { name });
    } catch (error) {
      if (!String(error).includes("not currently running")) throw error;
    }
  }

  /** Host and port of the inspector. */
  async inspectorHost(): Promise<string> {
    return (await this.#miniflare.getInspectorURL()).host;
  }

  /** Kills workerd as a power cut does. @returns once it runs again, on the same data */
  async kill(): Promise<void> {
    const others = runningWorkerds().filter((pid) => pid !== this.#pid);
    const restarted = new Promise<void>((done) => (this.#restarted = done));
    process.kill(this.#pid, "SIGKILL");
    await restarted;
    this.#pid = newWorkerd(others);
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
    if (this.folder !== undefined && !this.#keepsFolder) rmSync(this.folder, { recursive: true, force: true });
  }
}

function miniflareOptions({ name, code, port, ...bindings }: WorkerOptions) {
  return {
    name,
    modules: typeof code === "string" ? [{ type: "ESModule" as const, path: "worker.js", contents: code }] : code,
    ...RUNTIME,
    ...bindings,
    ...(port === undefined ? {} : { unsafeDirectSockets: [{ host: "127.0.0.1", port }] }),
  };
}

/** The runtime as it is deployed. */
const RUNTIME = {
  compatibilityDate: JSON.parse(settingOf(/^compatibility_date = (.*)$/m)) as string,
  compatibilityFlags: JSON.parse(settingOf(/^compatibility_flags = (.*)$/m)) as string[],
};

function settingOf(setting: RegExp): string {
  const value = setting.exec(CONFIG)?.[1];
  if (value === undefined) throw new Error(`wrangler.toml has no ${setting}`);
  return value;
}

/** @param host  under which the service and its links are reached */
export function varsOf(host: string, vars: Record<string, string> = {}) {
  return {
    BASE_URL: `http://${host}`,
    SHORT_DOMAIN: host,
    TEST_SHORT_DOMAIN: `test.${host}`,
    CDN_URL: `http://${host}/cdn`,
    WORKERS_PLAN: "paid",
    BETTER_AUTH_SECRET: "a secret of this server alone, of 32 characters or more",
    ...TESTED_SETTING,
    ...vars,
  };
}

/**
 * All bindings of the Worker. Rate limits are disabled.
 * @param databases  bindings of databases, as the variables name them
 */
export function bindingsOf(
  host: string,
  vars: Record<string, string>,
  objectsIn?: string,
  databases = TESTED_DATABASES,
) {
  const limits = [...CONFIG.matchAll(/^\[\[ratelimits\]\]\nname = "(\w+)"/gm)];
  return {
    bindings: varsOf(host, vars),
    d1Databases: Object.fromEntries(
      databases.map((name) => [name, name === HOME_DATABASE ? "hoplink" : name.toLowerCase()]),
    ),
    r2Buckets: { QR_IMAGES: "qr" },
    kvNamespaces: { VISITOR_SALTS: "visitor-salts" },
    versionMetadata: "VERSION",
    durableObjects: objectBindings(objectsIn),
    ratelimits: Object.fromEntries(
      limits.map(([, name = ""]) => [name, { namespace_id: name, simple: { limit: RATE_LIMIT, period: 60 as const } }]),
    ),
  };
}

/**
 * @param objectsIn  the Worker that defines the objects; the one that is bound when not given
 * @param names  of the bindings; all of them when not given
 */
export function objectBindings(objectsIn?: string, names?: readonly string[]) {
  const bindings = CONFIG.matchAll(/^\[\[durable_objects\.bindings\]\]\nname = "(\w+)"\nclass_name = "(\w+)"/gm);
  return Object.fromEntries(
    [...bindings]
      .filter(([, name = ""]) => names?.includes(name) ?? true)
      .map(([, name = "", className = ""]) => [
        name,
        { className, useSQLite: true, ...(objectsIn === undefined ? {} : { scriptName: objectsIn }) },
      ]),
  );
}

function runningWorkerds(): number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  return children
    .filter(Boolean)
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("workerd"));
}

function newWorkerd(others: readonly number[]): number {
  const pid = runningWorkerds().find((running) => !others.includes(running));
  if (pid === undefined) throw new Error("workerd does not run");
  return pid;
}
