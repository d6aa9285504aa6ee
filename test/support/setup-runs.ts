/** `npm run setup` in a copy of the project, against a stand-in for Cloudflare, and what an operator does after it. */
import { spawn } from "node:child_process";

import type { Outcome } from "../../src/cli/deployment/set-up.ts";
import { createAccount } from "../../src/store/accounts/accounts.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import type { Cloudflare } from "./cloudflare/cloudflare.ts";

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Without settings of the machine's own account. */
export function commandEnvironment(cloudflare: Cloudflare): Record<string, string> {
  const own = Object.entries(process.env).flatMap(([name, value = ""]) =>
    /^(CLOUDFLARE|CF|WRANGLER|DEPLOYMENT|BASE_URL)/.test(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(own), ...cloudflare.environment };
}

/** Runs a command of the project, without a terminal. */
export function runCommand(
  cloudflare: Cloudflare,
  folder: string,
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...commandEnvironment(cloudflare), ...environment },
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
  return runCommand(cloudflare, folder, process.execPath, ["src/cli/setup.ts", ...BUILT_JSON, ...options]);
}

/** Runs a command of a guide as it is typed there, with options at its end. */
export function runTyped(
  cloudflare: Cloudflare,
  folder: string,
  command: string,
  options: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const separator = options.length === 0 || command.includes(" -- ") ? "" : " --";
  const typed = `${command}${separator} ${options.join(" ")}`;
  return runCommand(cloudflare, folder, "bash", ["-c", typed], { npm_config_loglevel: "silent", ...environment });
}

/** @throws Error with what was printed when the setup failed */
export function outcomeOf({ code, stdout, stderr }: CommandResult): Outcome {
  if (code !== 0) throw new Error(`setup ended with ${code}:\n${stdout}${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Outcome;
}

/** Makes a link with an account's key and visits it through what is deployed. @returns where it leads, and its URL */
export async function visitNewLink(cloudflare: Cloudflare, baseUrl: string, mode: "live" | "test" = "live") {
  const [database] = cloudflare.account.databases;
  const key = await cloudflare.runtime.database(database?.uuid ?? "", async (DB) => {
    const account = await createAccount({ DB }, `${crypto.randomUUID()}@example.com`, "free");
    return issueKeyText({ DB }, account?.id ?? "", mode, "test");
  });
  const created = await cloudflare.visit(`${baseUrl}/v1/links`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ url: "https://example.com/landing" }),
  });
  const { short_url } = JSON.parse(created.body) as { short_url: string };
  const { status, location } = await cloudflare.visit(short_url);
  return { short_url, status, location };
}
