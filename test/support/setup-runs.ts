/** The commands for a deployment, in this process, against a fake of Cloudflare. Other programs are child processes. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { compileFunction, constants } from "node:vm";

import type { main as adminMain } from "../../src/cli/admin.ts";
import type { Main } from "../../src/cli/command.ts";
import type { Outcome } from "../../src/cli/deployment/set-up.ts";
import { createAccount } from "../../src/store/accounts/accounts.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import type { Cloudflare } from "./cloudflare/cloudflare.ts";

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Script = "admin" | "build" | "deploy" | "first-day" | "rollback" | "setup" | "upgrade";
type Environment = Record<string, string | undefined>;

/** A script of package.json as guides write it, with settings before it and options after it. */
const TYPED = /^(?<settings>(?:[A-Z_]+=\S+ )*)npm run (?<name>[\w-]+)(?: -- (?<options>.*))?$/s;
const SCRIPT = /^node src\/cli\/(?:deployment\.ts )?([\w-]+?)(?:\.ts)?$/;
const OF_DEPLOYMENT: readonly Script[] = ["first-day", "rollback", "setup", "upgrade"];

/** The environment without settings of the machine's own account. */
export function commandEnvironment(cloudflare: Cloudflare): Record<string, string> {
  const own = Object.entries(process.env).flatMap(([name, value = ""]) =>
    /^(CLOUDFLARE|CF|WRANGLER|DEPLOYMENT|BASE_URL)/.test(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(own), ...cloudflare.environment };
}

const importNatively = compileFunction("return import(path)", ["path"], {
  // Without an importer, the module would be `import.meta.main`.
  filename: import.meta.filename,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}) as (path: string) => Promise<unknown>;

/** A module of a copy of the project, as Node loads it: Vite would transform all modules of each copy again. */
export function importCopied<T>(folder: string, path: string): Promise<T> {
  return importNatively(pathToFileURL(join(folder, path)).href) as Promise<T>;
}

/** Runs a command of a copy of the project, without a terminal. */
export async function runScript(
  cloudflare: Cloudflare,
  folder: string,
  script: Script,
  args: readonly string[],
  environment: Environment = {},
): Promise<CommandResult> {
  const [module, given] = OF_DEPLOYMENT.includes(script) ? ["deployment", [script, ...args]] : [script, args];
  const { main } = await importCopied<{ main: Main | typeof adminMain }>(folder, `src/cli/${module}.ts`);
  const env = { ...commandEnvironment(cloudflare), ...environment };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await withEnvironment(env, folder, () => main(given, { stdout, stderr, env }));
  stdout.end();
  stderr.end();
  const [said, noted] = await printed;
  return { code, stdout: said, stderr: noted };
}

/** wrangler, which commands start, gets the environment and the folder of this process. */
async function withEnvironment<T>(environment: Environment, folder: string, work: () => Promise<T>): Promise<T> {
  const [before, folderBefore] = [{ ...process.env }, process.cwd()];
  replaceEnvironment(environment);
  process.chdir(folder);
  try {
    return await work();
  } finally {
    process.chdir(folderBefore);
    replaceEnvironment(before);
  }
}

function replaceEnvironment(next: Environment): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(next)) if (value !== undefined) process.env[name] = value;
}

/** Types a command of a third-party program, such as wrangler. */
function runShell(
  cloudflare: Cloudflare,
  folder: string,
  command: string,
  environment: Environment = {},
): Promise<CommandResult> {
  const child = spawn("bash", ["-c", command], {
    cwd: folder,
    env: { ...commandEnvironment(cloudflare), npm_config_loglevel: "silent", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const result: CommandResult = { code: null, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (result.stdout += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (result.stderr += String(chunk)));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done({ ...result, code }));
  });
}

/** The site was built before. */
export const BUILT_JSON = ["--skip-build", "--json"];

export function runSetup(cloudflare: Cloudflare, folder: string, ...options: string[]): Promise<CommandResult> {
  return runScript(cloudflare, folder, "setup", [...BUILT_JSON, ...options]);
}

/** Runs a command of a guide as it is typed there, with options at its end. */
export function runTyped(
  cloudflare: Cloudflare,
  folder: string,
  command: string,
  more: readonly string[] = [],
  environment: Environment = {},
): Promise<CommandResult> {
  const { settings = "", name = "", options = "" } = TYPED.exec(command)?.groups ?? {};
  if (name === "") return runShell(cloudflare, folder, [command, ...more].join(" "), environment);
  const set = Object.fromEntries(shellWords(settings).map((word) => word.split("=") as [string, string]));
  const args = [...shellWords(options), ...more];
  return runScript(cloudflare, folder, scriptOf(folder, name), args, { ...environment, ...set });
}

/** The target of a script of package.json. */
function scriptOf(folder: string, name: string): Script {
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { scripts: Environment };
  const [, script] = SCRIPT.exec(scripts[name] ?? "") ?? [];
  if (script === undefined) throw new Error(`package.json's ${name} runs more than a command`);
  return script as Script;
}

function shellWords(typed: string): string[] {
  return (typed.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ""));
}

/** @throws Error with the output when the setup failed */
export function outcomeOf({ code, stdout, stderr }: CommandResult): Outcome {
  if (code !== 0) throw new Error(`setup ended with ${code}:\n${stdout}${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Outcome;
}

/**
 * Creates a link with an account's key and visits it through the deployment.
 * @param name  of the deployment's database; the account's first when not given
 * @returns its destination, and its URL
 */
export async function visitNewLink(
  cloudflare: Cloudflare,
  baseUrl: string,
  mode: "live" | "test" = "live",
  name?: string,
  fields: object = {},
) {
  const database = cloudflare.account.databases.find((one) => name === undefined || one.name === name);
  const key = await cloudflare.runtime.database(database?.uuid ?? "", async (DB) => {
    const account = await createAccount({ DB }, `${crypto.randomUUID()}@example.com`, "free");
    return issueKeyText({ DB }, account?.id ?? "", mode, "test");
  });
  const created = await cloudflare.visit(`${baseUrl}/v1/links`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ url: "https://example.com/landing", ...fields }),
  });
  const { short_url } = JSON.parse(created.body) as { short_url: string };
  const { status, location } = await cloudflare.visit(short_url);
  return { short_url, status, location };
}
