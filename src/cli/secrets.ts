/** Secrets of a development server: generated once and kept with its data, so that sessions survive a restart. */
import { Buffer } from "node:buffer";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { stateFolder } from "./database.ts";

/** @returns path of the file of secrets, in the format that wrangler reads */
export async function ensureSecretsFile(persistTo: string | undefined): Promise<string> {
  const folder = stateFolder(persistTo);
  const file = join(folder, "secrets.env");
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  await mkdir(folder, { recursive: true });
  await writeFile(file, `BETTER_AUTH_SECRET=${secret}\n`, { flag: "wx", mode: 0o600 }).catch(ignoreExistingFile);
  return file;
}

function ignoreExistingFile(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
}
