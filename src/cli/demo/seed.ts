/** `npm run dev -- --demo`: fills the demo accounts with links and sixty days of clicks before the server starts. */
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { resolve } from "node:path";

import { startWrangler } from "../wrangler.ts";

const SEED_WORKER = resolve(import.meta.dirname, "seed-worker.ts");
const READY_TIMEOUT_MS = 60_000;

export interface DemoContent {
  email: string;
  /** Of the slugs, which are unique over all accounts. */
  suffix: string;
  links: number;
}

/**
 * Accounts that have links are left as they are.
 * @param state  the folder of the data
 * @param host  of the short links to be made, with its port
 * @param report  takes a line for each account
 * @throws Error when the seeding Worker does not start, or fails
 */
export async function seedDemo(
  { config, state }: { config: string; state: string },
  host: string,
  contents: readonly DemoContent[],
  report: (line: string) => void,
): Promise<void> {
  const port = await freePort();
  const where = ["--port", String(port), "--persist-to", state, "--config", config];
  const quiet = ["--log-level", "error", "--show-interactive-dev-session=false", "--inspector-port", "0"];
  const variables = ["--var", `SHORT_DOMAIN:${host}`, "--var", `BASE_URL:http://${host}`];
  const worker = startWrangler(["dev", SEED_WORKER, ...where, ...quiet, ...variables], "inherit");
  try {
    await waitUntilListening(port, worker);
    for (const content of contents) {
      const response = await fetch(`http://localhost:${port}/`, { method: "POST", body: JSON.stringify(content) });
      if (!response.ok) throw new Error(`The demo data could not be made: ${await response.text()}`);
      report(await response.text());
    }
  } finally {
    await stopWorker(worker);
  }
}

async function waitUntilListening(port: number, worker: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (worker.exitCode === null && Date.now() < deadline) {
    const response = await fetch(`http://localhost:${port}/`).catch(() => null);
    if (response) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("The Worker that makes the demo data did not start");
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
