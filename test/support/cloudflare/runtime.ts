/**
 * Runs the deployments of an account of the stand-in, in workerd: every deployed version is a separate Worker, behind a
 * Worker that forwards a request to the version that its header names. Databases, buckets and objects are stored in a
 * folder, so that they survive each deployment. A change of the account restarts workerd before the next request is
 * served.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { pause } from "../eventually.ts";
import { freePort } from "../ports.ts";
import { type Account, type Binding, deployedVersions, type Script, type Version } from "./account.ts";

/** Names the version's Worker, as one of the edge's bindings. */
export const WORKER_HEADER = "x-stand-in-worker";
/** The scheme of the visitor's request: all reach workerd without TLS. */
export const SCHEME_HEADER = "x-stand-in-scheme";
/** Names the database that runs the statements in the request's body. */
export const DATABASE_HEADER = "x-stand-in-database";
/** The folder with databases, buckets and objects. */
export const STORAGE = "storage";
const EDGE = "edge";
const EDGE_CODE = `export default {
  fetch(request, env) {
    const database = request.headers.get("${DATABASE_HEADER}");
    if (database !== null) return batch(env[database], request);
    const url = new URL(request.url);
    const headers = new Headers(request.headers);
    url.protocol = headers.get("${SCHEME_HEADER}");
    const worker = env[headers.get("${WORKER_HEADER}")];
    for (const name of ["${SCHEME_HEADER}", "${WORKER_HEADER}"]) headers.delete(name);
    return worker.fetch(new Request(url, new Request(request, { headers, redirect: "manual" })));
  }
};
async function batch(DB, request) {
  const statements = await request.json();
  try {
    return Response.json(await DB.batch(statements.map(({ sql, params = [] }) => DB.prepare(sql).bind(...params))));
  } catch (error) {
    return new Response(error.message, { status: 400 });
  }
}`;
/** How long requests, and Workers' tasks after their responses, may continue when a deployment replaces them. */
const REQUESTS_END_MS = 3_000;
const WORK_ENDS_MS = 400;

export interface Statement {
  sql: string;
  params?: unknown[];
}

export class Runtime {
  /** Logs of Workers and objects. */
  readonly log: string[] = [];
  port = 0;
  readonly #account: Account;
  readonly #folder: string;
  #miniflare: Miniflare | null = null;
  #isOutdated = true;
  #updated: Promise<void> = Promise.resolve();
  #running = 0;
  #served = false;

  constructor(account: Account, folder: string) {
    this.#account = account;
    this.#folder = folder;
  }

  /** Marks the account as changed. */
  outdated(): void {
    this.#isOutdated = true;
  }

  /** Runs `work` while the deployment stays the same. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#updated = this.#updated.then(() => (this.#isOutdated ? this.#update() : undefined));
    await this.#updated;
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#served = true;
    }
  }

  database<T>(uuid: string, work: (database: D1Database) => Promise<T>): Promise<T> {
    return this.use(async () => work(await this.#running_().getD1Database(uuid, EDGE)));
  }

  /**
   * Runs statements as one transaction. They are prepared in workerd: each call through Miniflare's proxy blocks this
   * process.
   * @throws Error with D1's message
   */
  batch(uuid: string, statements: readonly Statement[]): Promise<D1Result[]> {
    return this.use(async () => {
      const headers = { [DATABASE_HEADER]: uuid };
      const init = { method: "POST", headers, body: JSON.stringify(statements) };
      const answer = await fetch(`http://127.0.0.1:${this.port}/`, init);
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as D1Result[];
    });
  }

  bucket<T>(name: string, work: (bucket: R2Bucket) => Promise<T>): Promise<T> {
    return this.use(async () => work((await this.#running_().getR2Bucket(name, EDGE)) as unknown as R2Bucket));
  }

  /** Runs a cron job of a script, by the newest of its deployed versions. */
  cron(script: Script, cron: string): Promise<unknown> {
    return this.use(async () => {
      const worker = (await this.#running_().getWorker(workerName(script, mainVersion(script)))) as unknown as {
        scheduled(options: { cron: string }): Promise<unknown>;
      };
      return worker.scheduled({ cron });
    });
  }

  /** Stops until the next use. */
  async stop(): Promise<void> {
    await this.#updated.catch(() => {});
    await this.#miniflare?.dispose();
    this.#miniflare = null;
    this.#isOutdated = true;
  }

  #running_(): Miniflare {
    if (!this.#miniflare) throw new Error("workerd does not run");
    return this.#miniflare;
  }

  async #update(): Promise<void> {
    await this.#letWorkEnd();
    this.#isOutdated = false;
    this.port ||= await freePort();
    const options = convertV4MiniflareOptions({
      workers: [this.#edge(), ...[...this.#account.scripts.values()].flatMap((script) => this.#workersOf(script))],
      resourcePersistencePath: join(this.#folder, STORAGE),
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: ({ level, message }) => void this.log.push(`${level}: ${message}`),
    });
    if (this.#miniflare) await this.#miniflare.setOptions(options);
    else this.#miniflare = new Miniflare(options);
    await this.#miniflare.ready;
  }

  async #letWorkEnd(): Promise<void> {
    const deadline = performance.now() + REQUESTS_END_MS;
    while (this.#running > 0 && performance.now() < deadline) await pause(20);
    if (this.#served) await pause(WORK_ENDS_MS);
    this.#served = false;
  }

  #edge() {
    const { databases, buckets, scripts } = this.#account;
    const names = [...scripts.values()].flatMap((script) =>
      deployedVersions(script).map(({ version }) => workerName(script, version)),
    );
    return {
      name: EDGE,
      modules: [{ type: "ESModule" as const, path: "edge.js", contents: EDGE_CODE }],
      compatibilityDate: "2026-10-30",
      serviceBindings: Object.fromEntries(names.map((name) => [name, name])),
      d1Databases: Object.fromEntries(databases.map(({ uuid }) => [uuid, uuid])),
      r2Buckets: Object.fromEntries(buckets.map(({ name }) => [name, name])),
      unsafeDirectSockets: [{ host: "127.0.0.1", port: this.port }],
    };
  }

  #workersOf(script: Script) {
    const main = mainVersion(script);
    return deployedVersions(script).map(({ version }) => ({
      name: workerName(script, version),
      modules: version.modules,
      compatibilityDate: version.compatibilityDate,
      compatibilityFlags: version.compatibilityFlags,
      ...storageBindings(version),
      ...this.#assetsOf(version),
      durableObjects: Object.fromEntries(
        ofType(version, "durable_object_namespace").map(({ name, class_name }) => [
          name,
          {
            className: String(class_name),
            useSQLite: script.classes.get(String(class_name)) ?? true,
            unsafeUniqueKey: `${script.name}-${String(class_name)}`,
            // An object runs in one version at a time.
            ...(version === main ? {} : { scriptName: workerName(script, main) }),
          },
        ]),
      ),
    }));
  }

  #assetsOf(version: Version) {
    if (!version.assets) return {};
    // Most versions of a Worker have the same files.
    const hash = createHash("md5").update(JSON.stringify(version.assets.files)).digest("hex");
    const directory = join(this.#folder, "assets", hash);
    const isWritten = existsSync(directory);
    mkdirSync(directory, { recursive: true });
    for (const [path, { hash }] of isWritten ? [] : Object.entries(version.assets.files)) {
      const asset = this.#account.assets.get(hash);
      if (!asset) throw new Error(`no asset ${path}`);
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), asset.content);
    }
    const { run_worker_first, html_handling, not_found_handling } = version.assets.config;
    const assetConfig = { html_handling, not_found_handling };
    const binding = ofType(version, "assets")[0]?.name;
    return {
      assets: {
        directory,
        run_worker_first: run_worker_first as boolean | string[],
        routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: run_worker_first === true },
        assetConfig: Object.fromEntries(Object.entries(assetConfig).filter(([, value]) => value !== undefined)),
        ...(binding === undefined ? {} : { binding }),
      },
    };
  }
}

export function workerName(script: Script, version: Version): string {
  return `${script.name}-${version.id}`;
}

/** The version with the largest share, which runs the objects. */
function mainVersion(script: Script): Version {
  const [main] = deployedVersions(script).toSorted((a, b) => b.percentage - a.percentage);
  if (!main) throw new Error(`${script.name} is not deployed`);
  return main.version;
}

function storageBindings({ id, number, createdOn, bindings }: Version) {
  const record = <T>(type: string, value: (binding: Binding) => T) =>
    Object.fromEntries(bindings.filter((one) => one.type === type).map((one) => [one.name, value(one)]));
  return {
    bindings: {
      ...record("plain_text", ({ text }) => String(text)),
      ...record("secret_text", ({ text }) => String(text)),
      ...record("json", ({ json }) => json as string),
      ...record("version_metadata", () => ({ id, tag: String(number), timestamp: createdOn })),
    },
    d1Databases: record("d1", ({ id }) => String(id)),
    kvNamespaces: record("kv_namespace", ({ namespace_id }) => String(namespace_id)),
    r2Buckets: record("r2_bucket", ({ bucket_name }) => String(bucket_name)),
    analyticsEngineDatasets: record("analytics_engine", ({ dataset }) => ({ dataset: String(dataset) })),
    ratelimits: record("ratelimit", ({ namespace_id, simple }) => ({
      namespace_id: String(namespace_id),
      simple: simple as { limit: number; period: 10 | 60 },
    })),
  };
}

function ofType({ bindings }: Version, type: string): Binding[] {
  return bindings.filter((binding) => binding.type === type);
}
