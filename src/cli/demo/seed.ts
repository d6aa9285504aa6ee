/** `npm run dev -- --demo`: fills the demo accounts with links and 60 days of clicks before the server starts. */
import { resolve } from "node:path";

import { unstable_startWorker as startWorker } from "wrangler";

import { QUIET_ENV } from "../wrangler.ts";

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
  Object.assign(process.env, QUIET_ENV);
  const text = (value: string) => ({ type: "plain_text", value }) as const;
  const worker = await startWorker({
    config,
    entrypoint: SEED_WORKER,
    bindings: { SHORT_DOMAIN: text(host), BASE_URL: text(`http://${host}`) },
    dev: { persist: state, watch: false, inspector: false, logLevel: "error", server: { port: 0 } },
  });
  try {
    for (const content of contents) {
      const response = await worker.fetch("http://seed/", { method: "POST", body: JSON.stringify(content) });
      if (!response.ok) throw new Error(`The demo data could not be created: ${await response.text()}`);
      report(await response.text());
    }
  } finally {
    // Storage belongs to one runtime at a time, so the server starts only after this one has ended.
    await worker.dispose();
  }
}
