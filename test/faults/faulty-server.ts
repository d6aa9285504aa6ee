/**
 * A server for fault injection: the faulty Worker as several isolates, which share one database and the objects of the
 * links, with storage on disk and everything that the runtime logs.
 */
import { Buffer } from "node:buffer";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inject } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { bucketOfAddress } from "../../src/core/links/buckets.ts";
import type { LinksEnv } from "../../src/store/directory/databases.ts";
import { type DatabaseMap, parseDatabaseMap } from "../../src/store/directory/database-map.ts";
import { addressObjectName } from "../../src/core/links/link-snapshot.ts";
import { feedName } from "../../src/core/streams/event-log.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "../support/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { TESTED_SETTING } from "../support/database-count.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts } from "../support/ports.ts";
import { bindingsOf, Workerd } from "../support/workerd.ts";
import type { FaultReport, Faults } from "./faulty-worker.ts";
import type { SeedRequest } from "./seed-worker.ts";

/** Warnings of workerd: requests that touch each other, and uncaught errors. Injected errors carry a mark. */
const RUNTIME_WARNINGS = /code had hung|different request|unhandled|uncaught/i;
const INJECTED = /fault:/;

/** The isolate that defines the objects. */
const FIRST_ISOLATE = "isolate-0";

export class FaultyServer {
  /** Ports of the isolates, in order. */
  readonly ports: readonly number[];
  /** The API of the first isolate, with the account's live key. */
  readonly api: ApiClient;
  readonly key: string;
  readonly accountId: string;
  readonly #workerd: Workerd;
  readonly #setting: string | undefined;
  readonly #map: DatabaseMap;

  /**
   * @param isolates  their number; the first defines the objects, visitors may reach all of them
   * @param linkDatabases  the setting, if it differs from that of all tests
   */
  static async start(isolates = 1, linkDatabases = TESTED_SETTING["LINK_DATABASES"]): Promise<FaultyServer> {
    const ports = await freePorts(isolates);
    const workers = ports.map((port, isolate) => workerOf(port, isolate, `127.0.0.1:${ports[0]}`, linkDatabases));
    const workerd = await Workerd.start(workers, { storageFolder: tmpdir(), keepLog: "runtime" });
    const { databases } = parseDatabaseMap(linkDatabases);
    const DB = await workerd.migratedDatabase(FIRST_ISOLATE, databases);
    const account = await newTestAccount({ DB });
    const key = await issueKeyText({ DB }, account.id, "live", "faults");
    return new FaultyServer(workerd, linkDatabases, ports, account.id, key);
  }

  private constructor(
    workerd: Workerd,
    setting: string | undefined,
    ports: readonly number[],
    accountId: string,
    key: string,
  ) {
    this.#workerd = workerd;
    this.#setting = setting;
    this.#map = parseDatabaseMap(setting);
    this.ports = ports;
    this.accountId = accountId;
    this.key = key;
    this.api = new ApiClient(this.#url(0), key);
  }

  /** The host of all short URLs, whichever isolate serves them. */
  get host(): string {
    return `127.0.0.1:${this.ports[0]}`;
  }

  get log(): readonly string[] {
    return this.#workerd.log;
  }

  get runtimeWarnings(): string[] {
    return this.log.filter((line) => RUNTIME_WARNINGS.test(line) && !INJECTED.test(line));
  }

  database(): Promise<D1Database> {
    return this.#workerd.database(FIRST_ISOLATE);
  }

  /** All databases, as bound to the Worker. */
  async databases(): Promise<LinksEnv> {
    const open = async (name: string) => [name, await this.#workerd.database(FIRST_ISOLATE, name)];
    const opened = Object.fromEntries(await Promise.all(this.#map.databases.map(open))) as LinksEnv;
    return { ...opened, ...(this.#setting === undefined ? {} : { LINK_DATABASES: this.#setting }) };
  }

  /** Names of bindings of databases with links. */
  get databaseNames(): readonly string[] {
    return this.#map.databases;
  }

  /** The database that would hold a link with this slug. */
  databaseNameOf(slug: string): string | undefined {
    return this.#map.places[bucketOfAddress(this.host, slug)]?.database;
  }

  runCron(): Promise<void> {
    return this.#workerd.runCron(FIRST_ISOLATE);
  }

  /** The API of another isolate. */
  apiOf(isolate: number): ApiClient {
    return new ApiClient(this.#url(isolate), this.key);
  }

  /** Visits a path once. @returns its status */
  async visit(path: string, headers: Record<string, string>): Promise<number> {
    return (await fetch(this.#url(0) + path, { redirect: "manual", headers })).status;
  }

  /** Every row on disk, of the database and of all objects, that contains the text. */
  storedRowsWith(text: string): string[] {
    const copy = mkdtempSync(join(tmpdir(), "hoplink-copy-"));
    try {
      // Opening a database may finish its journal, which must not happen while the server runs on it.
      cpSync(this.#workerd.folder ?? "", copy, { recursive: true });
      const files = readdirSync(copy, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sqlite"));
      return files.flatMap((file) => rowsOf(join(copy, file)).filter((row) => row.includes(text)));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }

  stop(): Promise<void> {
    return this.#workerd.stop();
  }

  /** Kills workerd as a power cut does. @returns once it runs again, on the same data */
  kill(): Promise<void> {
    return this.#workerd.kill();
  }

  /** Ends a link's object, as the platform does with idle ones. */
  evict(link: Link): Promise<void> {
    return this.#workerd.evict(FIRST_ISOLATE, "LinkClicks", addressObjectName(link.domain, link.slug));
  }

  /** Ends the object behind the account's live stream. */
  evictFeed(): Promise<void> {
    return this.#workerd.evict(FIRST_ISOLATE, "AccountFeed", feedName(this.accountId, "live"));
  }

  /** Sets the only faults from now on. @param isolate  faults of objects are those of the first */
  async setFaults(faults: Partial<Faults>, isolate = 0): Promise<FaultReport> {
    const response = await fetch(`${this.#url(isolate)}/.faults`, { method: "POST", body: JSON.stringify(faults) });
    return (await response.json()) as FaultReport;
  }

  async report(isolate = 0): Promise<FaultReport> {
    const response = await fetch(`${this.#url(isolate)}/.faults`);
    return (await response.json()) as FaultReport;
  }

  /** Waits until each of these faults has occurred in the first isolate. */
  waitForFaults(...faults: (keyof FaultReport["occurred"])[]): Promise<void> {
    return eventually(
      async () => {
        const { occurred } = await this.report();
        return faults.every((fault) => occurred[fault] > 0);
      },
      `${faults.join(", ")} have occurred`,
    );
  }

  /** Waits until no isolate has a click in progress. */
  async waitForBackgroundWork(): Promise<void> {
    for (const isolate of this.ports.keys()) {
      await eventually(async () => (await this.report(isolate)).pending === 0, "all background work is done");
    }
  }

  /** Records past clicks, in packed batches as isolates send them. */
  async recordClicks(request: SeedRequest): Promise<void> {
    const response = await fetch(`${this.#url(0)}/.clicks`, { method: "POST", body: JSON.stringify(request) });
    if (!response.ok) throw new Error(await response.text());
  }

  /** Makes one request resolve a promise of another, which workerd forbids. */
  async crossRequests(): Promise<void> {
    for (let i = 0; i < 2; i++) await fetch(`${this.#url(0)}/.cross-requests`).then((response) => response.text());
  }

  #url(isolate: number): string {
    return `http://127.0.0.1:${this.ports[isolate]}`;
  }
}

function workerOf(port: number, isolate: number, host: string, linkDatabases = "") {
  // Maintenance works in small pieces, so that there are many.
  const vars = { DEV_VISITOR_HEADERS: "1", MAINTENANCE_CALLS: "4", LINK_DATABASES: linkDatabases };
  const { databases } = parseDatabaseMap(linkDatabases);
  const bindings = bindingsOf(host, vars, isolate === 0 ? undefined : FIRST_ISOLATE, databases);
  return { name: `isolate-${isolate}`, code: inject("script"), port, ...bindings };
}

function rowsOf(file: string): string[] {
  const database = new DatabaseSync(file);
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
    return tables.flatMap(({ name }) => {
      const rows = database.prepare(`SELECT * FROM "${name}"`);
      // An alarm's time has more digits than a JavaScript number holds.
      rows.setReadBigInts(true);
      return rows.all().map(textOf);
    });
  } finally {
    database.close();
  }
}

/** A row as text, including the text in its blobs. */
function textOf(row: object): string {
  return JSON.stringify(row, (_, value: unknown) => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value;
  });
}
