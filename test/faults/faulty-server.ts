/**
 * A server to break: the faulty Worker in workerd, as several isolates that share one database and the objects of the
 * links, with storage on disk and all that the runtime logs. Everything listens on 127.0.0.1.
 */
import { readD1Migrations } from "@cloudflare/vitest-plugin";
import { Buffer } from "node:buffer";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { inject } from "vitest";

import { ClickPage, Link, type Click, Stats } from "../../src/core/contract/contract.ts";
import { feedName } from "../../src/core/streams/event-log.ts";
import type { Grouping } from "../../src/core/clicks/groupings.ts";
import { createAccount, issueKeyText } from "../../src/store/accounts/accounts.ts";
import { freePorts } from "../support/ports.ts";
import type { Faults, FaultReport } from "./faulty-worker.ts";

const MIGRATIONS = resolve(import.meta.dirname, "../../migrations");
const PAGE_CLICKS = 1_000;
const SETTLE_MS = 60_000;
const POLL_MS = 50;

/** What workerd says of requests that touch each other, and of errors that nobody caught; those made here have a name. */
const RUNTIME_WARNINGS = /code had hung|different request|unhandled|uncaught/i;
const OWN_FAULTS = /fault:/;

export class FaultyServer {
  readonly ports: number[];
  /** All that the runtime has logged. */
  readonly log: string[];
  readonly #miniflare: Miniflare;
  readonly #folder: string;
  #key = "";
  #accountId = "";
  #restarted: (() => void) | undefined;

  /** @param isolates  how many; the first defines the objects, all of them visit */
  static async start(isolates = 1): Promise<FaultyServer> {
    const server = new FaultyServer(await freePorts(isolates));
    await server.#miniflare.ready;
    await server.#prepare();
    return server;
  }

  private constructor(ports: number[]) {
    this.ports = ports;
    this.log = [];
    this.#folder = mkdtempSync(join(tmpdir(), "hoplink-faults-"));
    this.#miniflare = new Miniflare(
      convertV4MiniflareOptions({
        workers: ports.map((port, i) => workerOptions(port, i, this.host)),
        resourcePersistencePath: this.#folder,
        verbose: true,
        log: new Log(LogLevel.NONE),
        handleStructuredLogs: ({ level, message }) => this.log.push(`${level}: ${message}`),
        unsafeHandleRuntimeRestart: () => this.#restarted?.(),
      }),
    );
  }

  /** Whatever isolate is asked, this is the host's name. */
  get host(): string {
    return `127.0.0.1:${this.ports[0]}`;
  }

  /** The account's live key. */
  get key(): string {
    return this.#key;
  }

  get accountId(): string {
    return this.#accountId;
  }

  database(): Promise<D1Database> {
    return this.#miniflare.getD1Database("DB", "isolate-0");
  }

  /** The minute's cron job. */
  async runCron(): Promise<void> {
    const worker = (await this.#miniflare.getWorker("isolate-0")) as unknown as {
      scheduled(options: { cron: string }): Promise<unknown>;
    };
    await worker.scheduled({ cron: "* * * * *" });
  }

  /** One visit by a path. @returns its status */
  async visit(path: string, headers: Record<string, string>): Promise<number> {
    return (await fetch(this.#url(0) + path, { redirect: "manual", headers })).status;
  }

  /** Every row on disk, of the database and of all objects, that has some text in it. */
  storedRowsWith(text: string): string[] {
    const copy = mkdtempSync(join(tmpdir(), "hoplink-copy-"));
    try {
      // Whoever opens a database may finish its journal: not beside the server.
      cpSync(this.#folder, copy, { recursive: true });
      const files = readdirSync(copy, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sqlite"));
      return files.flatMap((file) => rowsOf(join(copy, file)).filter((row) => row.includes(text)));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }

  /** What the runtime complained of. */
  get runtimeWarnings(): string[] {
    return this.log.filter((line) => RUNTIME_WARNINGS.test(line) && !OWN_FAULTS.test(line));
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Kills workerd as a power cut does. @returns once it runs again, on the same data */
  async kill(): Promise<void> {
    const [pid] = childrenOf(process.pid).filter((child) => commandOf(child).includes("workerd"));
    if (pid === undefined) throw new Error("workerd does not run");
    const restarted = new Promise<void>((done) => (this.#restarted = done));
    process.kill(pid, "SIGKILL");
    await restarted;
  }

  /** Ends a link's object, as the platform does with idle ones. */
  evict(link: Link): Promise<void> {
    return this.#evict("LinkClicks", `${link.domain}/${link.slug.toLowerCase()}`);
  }

  /** Ends the object behind the account's live stream. */
  evictFeed(): Promise<void> {
    return this.#evict("AccountFeed", feedName(this.#accountId, "live"));
  }

  async #evict(className: string, name: string): Promise<void> {
    try {
      await this.#miniflare.unsafeEvictDurableObject("isolate-0", className, { name });
    } catch (error) {
      // After a kill nobody may have called it yet.
      if (!String(error).includes("not currently running")) throw error;
    }
  }

  /** Sets what fails from now on, and nothing else. @param isolate  the first is the one with the objects */
  async setFaults(faults: Partial<Faults>, isolate = 0): Promise<FaultReport> {
    const response = await fetch(`${this.#url(isolate)}/.faults`, { method: "POST", body: JSON.stringify(faults) });
    return (await response.json()) as FaultReport;
  }

  async report(isolate = 0): Promise<FaultReport> {
    const response = await fetch(`${this.#url(isolate)}/.faults`);
    return (await response.json()) as FaultReport;
  }

  /** Once each of these faults has happened, in the first isolate. */
  waitForFaults(...faults: (keyof FaultReport["occurred"])[]): Promise<void> {
    return eventually(
      async () => {
        const { occurred } = await this.report();
        return faults.every((fault) => occurred[fault] > 0);
      },
      `${faults.join(", ")} have happened`,
    );
  }

  /** Once no isolate has a click under way. */
  async waitForBackgroundWork(): Promise<void> {
    for (const isolate of this.ports.keys()) {
      await eventually(async () => (await this.report(isolate)).pending === 0, "all background work done");
    }
  }

  /** Makes one request resolve a promise of another, which workerd forbids. */
  async crossRequests(): Promise<void> {
    for (let i = 0; i < 2; i++) await fetch(`${this.#url(0)}/.cross-requests`).then((response) => response.text());
  }

  async createLink(fields: Record<string, unknown> = {}): Promise<Link> {
    return Link.parse(await this.call("POST", "/v1/links", { url: "https://example.com/", ...fields }));
  }

  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(this.#url(0) + path, {
      method,
      headers: { Authorization: `Bearer ${this.#key}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  }

  async stats(link: Link, groupBy: Grouping): Promise<Stats> {
    return Stats.parse(await this.call("GET", `/v1/links/${link.id}/stats?group_by=${groupBy}`));
  }

  async total(link: Link): Promise<number> {
    return Stats.parse(await this.call("GET", `/v1/links/${link.id}/stats?include_bots=true`)).total;
  }

  /** The whole click log of a link. */
  async clicks(link: Link): Promise<Click[]> {
    const clicks: Click[] = [];
    for (let after = 0; ;) {
      const path = `/v1/links/${link.id}/clicks?after=${after}&limit=${PAGE_CLICKS}`;
      const page = ClickPage.parse(await this.call("GET", path));
      clicks.push(...page.data);
      if (!page.has_more) return clicks;
      after = page.next_after;
    }
  }

  #url(isolate: number): string {
    return `http://127.0.0.1:${this.ports[isolate]}`;
  }

  async #prepare(): Promise<void> {
    const DB = await this.#miniflare.getD1Database("DB", "isolate-0");
    for (const { queries } of await readD1Migrations(MIGRATIONS)) {
      for (const query of queries) await DB.prepare(query).run();
    }
    const account = await createAccount({ DB }, "faults@example.com", "premium");
    if (!account) throw new Error("no account for the faults");
    this.#accountId = account.id;
    this.#key = await issueKeyText({ DB }, account.id, "live", "faults");
  }
}

function workerOptions(port: number, index: number, host: string) {
  return {
    name: `isolate-${index}`,
    modules: [{ type: "ESModule" as const, path: "worker.js", contents: inject("script") }],
    compatibilityDate: "2026-10-30",
    compatibilityFlags: ["enable_request_signal"],
    bindings: {
      BASE_URL: `http://${host}`,
      SHORT_DOMAIN: host,
      TEST_SHORT_DOMAIN: `test.${host}`,
      CDN_URL: `http://${host}/cdn`,
      DEV_VISITOR_HEADERS: "1",
      BETTER_AUTH_SECRET: "a secret of this server alone, of 32 characters or more",
      // Small pieces, so that there are many.
      MAINTENANCE_CALLS: "4",
    },
    d1Databases: { DB: "hoplink" },
    r2Buckets: { QR_IMAGES: "qr" },
    durableObjects: {
      LINK_CLICKS: objectsOf("LinkClicks", index),
      ACCOUNT_FEED: objectsOf("AccountFeed", index),
      MAINTENANCE: objectsOf("Maintenance", index),
    },
    ratelimits: Object.fromEntries(
      ["RATE_FREE", "RATE_PREMIUM", "QR_FREE", "QR_PREMIUM"]
        .flatMap((name) => [name, `${name}_ACCOUNT`])
        .map((name) => [name, { namespace_id: name, simple: { limit: 1_000_000, period: 60 as const } }]),
    ),
    unsafeDirectSockets: [{ host: "127.0.0.1", port }],
  };
}

/** The first isolate defines the objects. */
function objectsOf(className: string, index: number) {
  return { className, useSQLite: true, ...(index === 0 ? {} : { scriptName: "isolate-0" }) };
}

function rowsOf(file: string): string[] {
  const database = new DatabaseSync(file);
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
    return tables.flatMap(({ name }) => database.prepare(`SELECT * FROM "${name}"`).all().map(textOf));
  } finally {
    database.close();
  }
}

/** Blobs as the text that lies in them. */
function textOf(row: object): string {
  return JSON.stringify(row, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
  );
}

export async function eventually(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not in ${SETTLE_MS} ms: ${what}`);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8");
}
