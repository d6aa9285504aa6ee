/**
 * `npm run dev`: builds, migrates, creates the demo accounts and serves the whole product on one port, in workerd. PORT
 * sets the port (8787), DOH_URL the resolver for custom domains, SIGNUPS whether visitors may sign up (open),
 * `--persist-to DIR` the folder of the data (.wrangler/state). `--demo` fills the demo accounts with links and sixty days
 * of clicks, `--demo-links N` says how many links. DATABASES=4 spreads links over four databases. Ctrl-C stops everything.
 */
import type { ChildProcess } from "node:child_process";
import { parseArgs } from "node:util";

import { buildSite } from "./build.ts";
import { stateFolder } from "./database.ts";
import { developmentConfigPath } from "./development-config.ts";
import { chooseLinkDatabases } from "./link-databases.ts";
import { type DemoAccounts, ensureDemoAccounts } from "./demo/demo-accounts.ts";
import { seedDemo } from "./demo/seed.ts";
import { isPortFree } from "./port.ts";
import { ensureSecretsFile } from "./secrets.ts";
import { startWrangler } from "./wrangler.ts";

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;
const DEMO_LINKS = 150;
const FREE_DEMO_LINKS = 3;

const { values } = parseArgs({
  options: { "persist-to": { type: "string" }, demo: { type: "boolean" }, "demo-links": { type: "string" } },
});
const persistTo = values["persist-to"];
const port = Number(process.env.PORT ?? 8787);
const baseUrl = `http://localhost:${port}`;

// Asked first: whoever listens there would be taken for this server when it answers.
if (!(await isPortFree(port))) {
  console.error(`Port ${port} is in use. Stop what listens there, or choose another: PORT=${port + 1} npm run dev`);
  process.exit(1);
}

const config = await developmentConfigPath(stateFolder(persistTo), await linkDatabases());

// Independent of each other, so in parallel.
const [accounts] = await Promise.all([ensureDemoAccounts(persistTo), buildSite()]);
const secrets = await ensureSecretsFile(persistTo);
if (values.demo || values["demo-links"] !== undefined) await fillDemoAccounts(accounts);
const server = startServer();
if (await waitUntilReady(server)) {
  console.log(banner(accounts));
  setInterval(triggerCron, 60_000);
}

function linkDatabases(): Promise<string | undefined> {
  return chooseLinkDatabases(stateFolder(persistTo), process.env).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
}

async function fillDemoAccounts({ premium, free }: DemoAccounts): Promise<void> {
  const links = Number(values["demo-links"] ?? DEMO_LINKS);
  const contents = [
    { email: premium.email, suffix: "", links },
    { email: free.email, suffix: "-free", links: FREE_DEMO_LINKS },
  ];
  console.log("Making links and clicks for the demo accounts ...");
  await seedDemo({ config, state: stateFolder(persistTo) }, `localhost:${port}`, contents, console.log);
}

function startServer(): ChildProcess {
  const settings = {
    BASE_URL: baseUrl,
    SHORT_DOMAIN: `localhost:${port}`,
    TEST_SHORT_DOMAIN: `test.localhost:${port}`,
    CDN_URL: `${baseUrl}/cdn`,
    DEV_VISITOR_HEADERS: "1",
    WORKERS_PLAN: "paid",
    ...(process.env.DOH_URL ? { DOH_URL: process.env.DOH_URL } : {}),
    SIGNUPS: process.env.SIGNUPS ?? "open",
  };
  const variables = Object.entries(settings).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const quiet = ["--log-level", "error", "--show-interactive-dev-session=false", "--inspector-port", "0"];
  const where = ["--port", String(port), "--persist-to", stateFolder(persistTo), "--env-file", secrets];
  const child = startWrangler(["dev", "--config", config, ...where, ...quiet, ...variables], "inherit");
  let stopping = false;
  child.once("exit", (code) => process.exit(stopping ? 0 : (code ?? 1)));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      stopping = true;
      stop(child);
    });
  }
  return child;
}

/** `wrangler dev` never runs cron jobs by itself. */
function triggerCron(): void {
  const query = new URLSearchParams({ cron: "* * * * *" });
  fetch(`${baseUrl}/cdn-cgi/handler/scheduled?${query}`).catch((error: unknown) => console.warn("minute's job", error));
}

/** Stops wrangler's process group, with SIGKILL if it takes too long. */
function stop(child: ChildProcess): void {
  signalGroup(child, "SIGTERM");
  setTimeout(() => signalGroup(child, "SIGKILL"), STOP_TIMEOUT_MS).unref();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The process has ended already.
  }
}

async function waitUntilReady(child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    const response = await fetch(`${baseUrl}/health`).catch(() => null);
    if (response?.ok) return true;
    await new Promise((done) => setTimeout(done, 100));
  }
  return false;
}

function banner({ premium, free }: DemoAccounts): string {
  return `
Hoplink serves at ${baseUrl}

  Premium   ${premium.email}
  password  ${premium.password}
  live key  ${premium.live_key}
  test key  ${premium.test_key}

  Free      ${free.email}
  password  ${free.password}
  live key  ${free.live_key}
  test key  ${free.test_key}

Make a link:

  curl -s ${baseUrl}/v1/links -H "Authorization: Bearer ${premium.live_key}" -H "Content-Type: application/json" -d '{"url":"https://example.com/"}'

Dashboard: ${baseUrl}/dashboard (sign in with an e-mail address and password from above)
Guides and API reference: ${baseUrl}/docs
Stop: Ctrl-C
`;
}
