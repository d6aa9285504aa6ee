/** `npm run dev -- --demo`: fills the demo accounts with links and 60 days of clicks before the server starts. */
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { resolve } from "node:path";

import { startServer, waitUntilReady } from "../wrangler.ts";

const SEED_WORKER = resolve(import.meta.dirname, "seed-worker.ts");

export interface DemoContent {
  email: string;
  /** Added to the slugs, which are unique across all accounts. */
  suffix: string;
  links: number;
}

/**
 * Accounts that have links are left unchanged.
 * @param state  the data folder
 * @param host  of the short links to create, with its port
 * @param report  prints a line for each account
 * @throws Error if the seeding Worker does not start, or fails
 */
export async function seedDemo(
  { config, state }: { config: string; state: string },
  host: string,
  contents: readonly DemoContent[],
  report: (line: string) => void,
): Promise<void> {
  const port = await freePort();
  const url = `http://localhost:${port}/`;
  const where = ["--persist-to", state, "--config", config];
  const variables = ["--var", `SHORT_DOMAIN:${host}`, "--var", `BASE_URL:http://${host}`];
  const worker = startServer(port, [SEED_WORKER, ...where, ...variables]);
  try {
    if (!(await waitUntilReady(url, worker))) throw new Error("The Worker that creates the demo data did not start");
    for (const content of contents) {
      const response = await fetch(url, { method: "POST", body: JSON.stringify(content) });
      if (!response.ok) throw new Error(`The demo data could not be created: ${await response.text()}`);
      report(await response.text());
    }
  } finally {
    await stopWorker(worker);
  }
}

/** Storage belongs to one runtime at a time, so the server starts only after this one has ended. */
async function stopWorker(worker: ChildProcess): Promise<void> {
  const ended = new Promise<void>((done) => worker.once("exit", () => done()));
  if (worker.pid === undefined || worker.exitCode !== null) return;
  process.kill(-worker.pid, "SIGTERM");
  await ended;
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}
