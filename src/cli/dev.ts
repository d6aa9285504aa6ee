/**
 * `npm run dev`: builds, migrates, creates the demo accounts and serves the whole product on one port, in workerd. The
 * documentation is built after the server starts, so that it responds sooner. PORT sets the port (8787), SIGNUPS
 * whether visitors may sign up (open), and DOH_URL the resolver for custom domains. The other settings in `PASSED` are
 * also read from the environment. DATABASES=4 spreads links over four databases. Ctrl-C stops everything.
 */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { enableCompileCache, flushCompileCache } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { Command } from "@commander-js/extra-typings";

import { runCommand, SetupError } from "./command.ts";
import { chooseLinkDatabases, developmentConfigPath, stateFolder } from "./database.ts";
import type { DemoAccounts } from "./demo/demo-accounts.ts";
import { areDocsBuilt, isDashboardBuilt } from "./up-to-date.ts";
import { COMPILE_CACHE_PATH, startServer, waitUntilReady } from "./wrangler.ts";

const PARENT_CHECK_MS = 500;
const STOP_TIMEOUT_MS = 5_000;
const DEMO_LINKS = 150;
const FREE_DEMO_LINKS = 3;
const LOCALHOST = ["127.0.0.1", "::1"];
/** Settings of a deployment that the environment can set (src/docs/deploy.md). */
const PASSED = ["DOH_URL", "HOME_URL", "NOT_FOUND_URL", "EXPIRED_URL", "PEEK", "DEFAULT_PLAN", "FIRST_ACCOUNT_TOKEN"];

const port = Number(process.env.PORT ?? 8787);
const baseUrl = `http://localhost:${port}`;

const command = () =>
  new Command("npm run dev --")
    .option("--persist-to <DIR>", "folder for the data (default: .wrangler/state)")
    .option("--demo", "fill the demo accounts with links and 60 days of clicks")
    .option("--demo-links <N>", `like --demo, with N links instead of ${DEMO_LINKS}`);

enableCompileCache(COMPILE_CACHE_PATH);
await runCommand(command, async ({ persistTo, demo, demoLinks }) => {
  // Checked first: another server that responds on the port would be mistaken for this one.
  if (!(await isPortFree(port))) {
    throw new SetupError(
      `Port ${port} is in use. Stop the program that uses it, or choose another: PORT=${port + 1} npm run dev`,
    );
  }
  const state = stateFolder(persistTo);
  const config = await developmentConfigPath(state, await chooseLinkDatabases(state, process.env));
  const made = import("./demo/demo-accounts.ts").then(({ ensureDemoAccounts }) => ensureDemoAccounts(persistTo));
  const [accounts] = await Promise.all([made, buildDashboard()]);
  const secrets = await ensureSecretsFile(state);
  if (demo || demoLinks !== undefined) {
    await fillDemoAccounts({ config, state }, accounts, Number(demoLinks ?? DEMO_LINKS));
  }
  // Lets the server reuse the parts of wrangler that this process has compiled.
  flushCompileCache();
  return serve(["--config", config, "--persist-to", state, "--env-file", secrets], accounts);
});

/** Generated once and stored with the data, so that sessions survive a restart. @returns path of a file for wrangler */
async function ensureSecretsFile(state: string): Promise<string> {
  const file = join(state, "secrets.env");
  const secret = randomBytes(32).toString("base64url");
  await mkdir(state, { recursive: true });
  await writeFile(file, `BETTER_AUTH_SECRET=${secret}\n`, { flag: "wx", mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
  return file;
}

/** In a separate thread: in one thread, the build and the accounts would wait for each other. */
async function buildDashboard(): Promise<void> {
  if (await isDashboardBuilt()) return;
  await once(new Worker(new URL("./dashboard.ts", import.meta.url)), "exit");
}

/** Serves until it is stopped. @returns the exit code */
async function serve(where: readonly string[], accounts: DemoAccounts): Promise<number> {
  const server = startServer(port, [...where, ...variables()]);
  const ended = new Promise<number | null>((done) => server.once("exit", done));
  let isStopping = false;
  const end = () => {
    isStopping = true;
    stop(server);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, end);
  endWithNpm(end);
  if (await waitUntilReady(`${baseUrl}/health`, server)) {
    console.log(banner(accounts));
    setInterval(triggerCron, 60_000).unref();
    if (!(await areDocsBuilt())) {
      const { buildDocs } = await import("./build-site.ts");
      await buildDocs().catch((error: unknown) => console.error("Building the documentation failed:", error));
    }
  }
  const code = await ended;
  return isStopping ? 0 : (code ?? 1);
}

/** A killed npm forwards no signal. Without npm, the server may outlive the shell that started it. */
function endWithNpm(end: () => void): void {
  const { ppid } = process;
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    end();
  }, PARENT_CHECK_MS).unref();
}

async function fillDemoAccounts(
  installation: { config: string; state: string },
  { premium, free }: DemoAccounts,
  links: number,
): Promise<void> {
  const contents = [
    { email: premium.email, suffix: "", links },
    { email: free.email, suffix: "-free", links: FREE_DEMO_LINKS },
  ];
  console.log("Creating links and clicks for the demo accounts ...");
  const { seedDemo } = await import("./demo/seed.ts");
  await seedDemo(installation, `localhost:${port}`, contents, console.log);
}

function variables(): string[] {
  const settings = {
    BASE_URL: baseUrl,
    SHORT_DOMAIN: `localhost:${port}`,
    TEST_SHORT_DOMAIN: `test.localhost:${port}`,
    CDN_URL: `${baseUrl}/cdn`,
    DEV_VISITOR_HEADERS: "1",
    WORKERS_PLAN: "paid",
    SIGNUPS: process.env.SIGNUPS ?? "open",
  };
  const passed = PASSED.map((name) => [name, process.env[name] ?? ""]).filter(([, value]) => value !== "");
  return [...Object.entries(settings), ...passed].flatMap(([name, value]) => ["--var", `${name}:${value}`]);
}

/** `wrangler dev` never runs cron jobs automatically. */
function triggerCron(): void {
  const query = new URLSearchParams({ cron: "* * * * *" });
  fetch(`${baseUrl}/cdn-cgi/handler/scheduled?${query}`).catch((error: unknown) => console.warn("cron job:", error));
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
    // The process has already ended.
  }
}

function banner({ premium, free }: DemoAccounts): string {
  return `
Hoplink is running at ${baseUrl}

  Premium   ${premium.email}
  password  ${premium.password}
  live key  ${premium.live_key}
  test key  ${premium.test_key}

  Free      ${free.email}
  password  ${free.password}
  live key  ${free.live_key}
  test key  ${free.test_key}

Create a link:

  curl -s ${baseUrl}/v1/links -H "Authorization: Bearer ${premium.live_key}" -H "Content-Type: application/json" -d '{"url":"https://example.com/"}'

Dashboard: ${baseUrl}/dashboard (sign in with an email address and password from above)
Guides and API reference: ${baseUrl}/docs
Stop: Ctrl-C
`;
}

/** Whether a server can listen on a port of localhost. */
async function isPortFree(port: number): Promise<boolean> {
  for (const host of LOCALHOST) if (await isTaken(port, host)) return false;
  return true;
}

/** The server that is started reports other errors, e.g. on a machine without IPv6. */
function isTaken(port: number, host: string): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => done(error.code === "EADDRINUSE"));
    server.listen({ port, host }, () => server.close(() => done(false)));
  });
}
