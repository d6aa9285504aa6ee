/**
 * One development server and one Chromium for all files of a project. Each file has its own accounts, so that no file
 * sees another's data. A file that needs other settings, or stops the server, starts its own (dev-server.ts).
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

import { withLocalDatabase } from "../../src/cli/database.ts";
import { newPassword } from "../../src/cli/new-password.ts";
import { createAccount } from "../../src/store/accounts/accounts.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { setPassword } from "../../src/store/auth/passwords.ts";
import { NO_BROWSER, startChromiumServer } from "./chromium.ts";
import { type Account, type DevServer, type Plan, startDevServer } from "./dev-server.ts";

interface Shared {
  server: Pick<DevServer, "port" | "base" | "folder" | "output">;
  /** Where the browser listens; null if the machine has none. */
  browser: string | null;
  /** Accounts by the file's path. */
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

/** A connection to the shared browser, with separate contexts. */
export async function sharedBrowser(): Promise<Browser> {
  const { browser } = await readShared();
  if (browser === null) throw new Error(NO_BROWSER);
  return chromium.connect(browser);
}

/** All have one password, which is hashed once: for a hundred accounts that would take ten seconds. */
async function createAccounts(folder: string, files: readonly string[]): Promise<Shared["accounts"]> {
  return withLocalDatabase(folder, async (database) => {
    const [first, password] = [await createAccount(database, "first@demo.localhost", "free"), newPassword()];
    await setPassword(database, "first@demo.localhost", password);
    const create = async (plan: Plan, index: number): Promise<Account> => {
      const name = plan.toLowerCase() as "premium" | "free";
      const email = `${name}-${index}@demo.localhost`;
      const id = (await createAccount(database, email, name))?.id ?? "";
      await database.DB.prepare(
        `INSERT INTO credentials (id, account_id, provider, provider_account_id, password, created_at, updated_at)
         SELECT ?1, ?1, provider, ?1, password, created_at, updated_at FROM credentials WHERE account_id = ?2`,
      )
        .bind(id, first?.id)
        .run();
      const [live, test] = await Promise.all(
        (["live", "test"] as const).map((mode) => issueKeyText(database, id, mode, "Demo")),
      );
      return { email, password, live: live ?? "", test: test ?? "" };
    };
    const made = files.map(async (file, i) => [
      file,
      { Premium: await create("Premium", i), Free: await create("Free", i) },
    ]);
    return Object.fromEntries(await Promise.all(made)) as Shared["accounts"];
  });
}
