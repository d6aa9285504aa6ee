/**
 * Two installations of the Worker in one workerd: the one that is backed up, and an empty one for restoring. One has
 * one database, the other four: with DATABASES=4 the source has four.
 */
import { tmpdir } from "node:os";
import { inject } from "vitest";

import { parseDatabaseMap, spreadBuckets } from "../../src/store/directory/database-map.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { setPassword } from "../../src/store/auth/passwords.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import { newTestAccount } from "../support/accounts.ts";
import { bundleModules } from "../support/bundle.ts";
import { TESTED_DATABASES } from "../support/database-count.ts";
import { freePorts } from "../support/ports.ts";
import { bindingsOf, objectBindings, Workerd } from "../support/workerd.ts";
import type { SeedRequest } from "./seed-worker.ts";

export type Installation = "source" | "target";

export const PASSWORD = "correct horse battery";
const HOUR_MS = 3_600_000;
const TARGET_SETTING = spreadBuckets(TESTED_DATABASES.length === 1 ? 4 : 1);
const TARGET_DATABASES = parseDatabaseMap(TARGET_SETTING).databases;

export class TwoInstallations {
  readonly urls: Record<Installation, string>;
  readonly #workerd: Workerd;

  static async start(): Promise<TwoInstallations> {
    const [source = 0, target = 0] = await freePorts(2);
    const code = await bundleModules("src/worker.ts");
    // The same host: links keep their addresses.
    const bindings = bindingsOf(`127.0.0.1:${source}`, { DEV_VISITOR_HEADERS: "1" });
    const seed = { ...bindings, durableObjects: objectBindings("source") };
    const other = {
      ...bindings,
      bindings: { ...bindings.bindings, LINK_DATABASES: TARGET_SETTING },
      d1Databases: Object.fromEntries(TARGET_DATABASES.map((name) => [name, `target-${name}`])),
      r2Buckets: { QR_IMAGES: "target" },
      kvNamespaces: { VISITOR_SALTS: "target" },
    };
    const workers = [
      { name: "source", code, port: source, ...bindings },
      { name: "target", code, port: target, ...other },
      // Without faults, and only for its recorder of past clicks.
      { name: "seed", code: inject("script"), ...seed },
    ];
    const workerd = await Workerd.start(workers, { storageFolder: tmpdir(), keepLog: "workers" });
    await workerd.migratedDatabase("source");
    await workerd.migratedDatabase("target", TARGET_DATABASES);
    return new TwoInstallations(workerd, source, target);
  }

  private constructor(workerd: Workerd, source: number, target: number) {
    this.#workerd = workerd;
    this.urls = { source: `http://127.0.0.1:${source}`, target: `http://127.0.0.1:${target}` };
  }

  get log(): readonly string[] {
    return this.#workerd.log;
  }

  /** The database of accounts. */
  #database(installation: Installation): Promise<D1Database> {
    return this.#workerd.database(installation);
  }

  /** Changes rows of links in all databases of the source. */
  async changeLinks(sql: string, ...values: unknown[]): Promise<void> {
    for (const binding of TESTED_DATABASES) {
      const database = await this.#workerd.database("source", binding);
      await database
        .prepare(sql)
        .bind(...values)
        .run();
    }
  }

  /** Creates an account in the source. */
  async newAccount(): Promise<{ id: string; email: string; live: string; test: string }> {
    const env = { DB: await this.#database("source") };
    const { id, email } = await newTestAccount(env);
    await setPassword(env, email, PASSWORD);
    const [live, test] = [await issueKeyText(env, id, "live", "a"), await issueKeyText(env, id, "test", "b")];
    return { id, email, live, test };
  }

  async operatorToken(installation: Installation): Promise<string> {
    return issueOperatorToken({ DB: await this.#database(installation) }, "backup", HOUR_MS, Date.now());
  }

  /** Records clicks in the source. */
  async seed(request: SeedRequest): Promise<void> {
    const seeder = await this.#workerd.worker("seed");
    const response = await seeder.fetch("http://seed/.clicks", { method: "POST", body: JSON.stringify(request) });
    if (!response.ok) throw new Error(`clicks not recorded: ${await response.text()}`);
    await response.text();
  }

  stop(): Promise<void> {
    return this.#workerd.stop();
  }
}
