/** Migrates the databases of an installation and deploys its Worker, with wrangler. */
import { Buffer } from "node:buffer";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runWrangler } from "../wrangler.ts";

const SECRET_BYTES = 32;
/** CPU limits on the free plan. */
const NO_LIMITS_CODE = "code: 100328";

/** @param bindings  of the databases */
export async function migrate(config: string, accountId: string, bindings: readonly string[]): Promise<void> {
  for (const binding of bindings) {
    const command = ["d1", "migrations", "apply", binding, "--remote", "--config", config];
    await runWrangler(command, { CLOUDFLARE_ACCOUNT_ID: accountId });
  }
}

/** @param withSecret  whether a new secret for sessions goes with it @returns false when the plan takes no CPU limits */
export async function deploy(config: string, accountId: string, withSecret: boolean): Promise<boolean> {
  const command = ["deploy", "--config", config];
  const environment = { CLOUDFLARE_ACCOUNT_ID: accountId };
  try {
    if (withSecret) await withSecretsFile((file) => runWrangler([...command, "--secrets-file", file], environment));
    else await runWrangler(command, environment);
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes(NO_LIMITS_CODE)) return false;
    throw error;
  }
}

/**
 * Uploads a version that no visitor gets yet. Secrets and variables are those of the version before.
 * @param message  kept with the version
 * @returns its id
 */
export async function uploadVersion(config: string, accountId: string, message: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hoplink-version-"));
  try {
    const output = join(folder, "output.ndjson");
    const environment = { CLOUDFLARE_ACCOUNT_ID: accountId, WRANGLER_OUTPUT_FILE_PATH: output };
    await runWrangler(["versions", "upload", "--config", config, "--message", message], environment);
    const lines = (await readFile(output, "utf8")).trim().split("\n");
    const entries = lines.map((line) => JSON.parse(line) as { type: string; version_id?: string });
    const id = entries.find(({ type }) => type === "version-upload")?.version_id;
    if (!id) throw new Error("wrangler does not say which version was uploaded");
    return id;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The secret is never an argument, which other users of the machine can read. */
async function withSecretsFile(work: (file: string) => Promise<unknown>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-secrets-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    const file = join(folder, "secrets.json");
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString("base64url");
    writeFileSync(file, JSON.stringify({ BETTER_AUTH_SECRET: secret }), { mode: 0o600, flag: "wx" });
    await work(file);
  } finally {
    remove();
    process.off("exit", remove);
  }
}
