/**
 * One development server and one Chromium for all files of a project. Each file has accounts of its own, so that no file
 * sees what another one does. A file that needs other settings, or stops the server, starts its own (dev-server.ts).
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Browser, chromium } from "playwright-core";
import { expect, inject } from "vitest";
import type { TestProject } from "vitest/node";

import { createDemoAccount } from "../../src/cli/demo/demo-accounts.ts";
import { withLocalDatabase } from "../../src/cli/database.ts";
import { NO_BROWSER, startChromiumServer } from "./chromium.ts";
import { type Account, type DevServer, type Plan, startDevServer } from "./dev-server.ts";

interface Shared {
  server: Pick<DevServer, "port" | "base" | "folder" | "output">;
  /** Where the browser listens; null where the machine has none. */
  browser: string | null;
  /** By the file's path. */
  accounts: Record<string, Record<Plan, Account>>;
}

declare module "vitest" {
  interface ProvidedContext {
    /** Answers with `Shared` once all of it runs. */
    sharedUrl: string;
  }
}

/** Both start while the tests of other projects run: Vitest begins no test before the set-ups of all projects end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { testFiles } = await project.globTestFiles();
  const starting = start(testFiles);
  const door = createServer((_, response) => {
    starting.then(
      ({ shared }) => response.end(JSON.stringify(shared)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(door.listen(0, "127.0.0.1"), "listening");
  project.provide("sharedUrl", `http://127.0.0.1:${(door.address() as AddressInfo).port}/`);
  return async () => {
    door.close();
    await (await starting).stop();
  };
}

async function start(testFiles: readonly string[]): Promise<{ shared: Shared; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-shared-"));
  const accounts = await createAccounts(folder, testFiles);
  const browser = await startChromiumServer().catch(() => null);
  const server = await startDevServer({}, folder);
  const { port, base, output } = server;
  const shared = { server: { port, base, folder, output }, browser: browser?.wsEndpoint() ?? null, accounts };
  const stop = async () => {
    await Promise.all([server.stop(), browser?.close()]);
    rmSync(folder, { recursive: true, force: true });
  };
  return { shared, stop };
}

async function readShared(): Promise<Shared> {
  const response = await fetch(inject("sharedUrl"));
  if (!response.ok) throw new Error(`the shared server does not run: ${await response.text()}`);
  return (await response.json()) as Shared;
}

/** The shared server, with the accounts of the running file. Only the run stops it. */
export async function sharedServer(): Promise<DevServer> {
  const { server, accounts } = await readShared();
  const file = expect.getState().testPath ?? "";
  const own = accounts[file];
  if (!own) throw new Error(`${file} has no accounts on the shared server`);
  return {
    ...server,
    accounts: own,
    stop: () => Promise.resolve(null),
    kill: () => {},
    remove: () => Promise.resolve(),
  };
}

/** A connection to the shared browser, with contexts of its own. */
export async function sharedBrowser(): Promise<Browser> {
  const { browser } = await readShared();
  if (browser === null) throw new Error(NO_BROWSER);
  return chromium.connect(browser);
}

async function createAccounts(folder: string, files: readonly string[]): Promise<Shared["accounts"]> {
  return withLocalDatabase(folder, async (database) => {
    const create = async (plan: Plan, index: number): Promise<Account> => {
      const name = plan.toLowerCase() as "premium" | "free";
      const made = await createDemoAccount(database, name, `${name}-${index}@demo.localhost`);
      return { email: made.email, password: made.password, live: made.live_key, test: made.test_key };
    };
    const accounts: Shared["accounts"] = {};
    // One by one: hashing many passwords at once blocks this thread until the connections to the database are closed.
    for (const [index, file] of files.entries())
      accounts[file] = { Premium: await create("Premium", index), Free: await create("Free", index) };
    return accounts;
  });
}
