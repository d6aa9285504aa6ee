/** Stores the position in the stream up to which all events have been handled. */
import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { cannotWrite, Failure } from "../errors.ts";
import { replaceFile } from "../files.ts";
import type { Environment } from "../io.ts";
import { releaseProcessLock, takeProcessLock } from "./process-lock.ts";

/** @param stream  everything that distinguishes it from other streams */
export function defaultCursorFile(env: Environment, stream: readonly string[]): string {
  const folder = env.XDG_STATE_HOME || env.LOCALAPPDATA || join(homedir(), ".local", "state");
  const name = createHash("sha256").update(JSON.stringify(stream)).digest("hex").slice(0, 16);
  return join(folder, "hoplink", "tail", `${name}.cursor`);
}

/** Two processes that share a cursor would both post every click. @throws Failure */
export async function lockCursorFile(path: string): Promise<void> {
  const holder = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    .then(() => takeProcessLock(lockPath(path)))
    .catch(cannotWrite(path));
  if (holder === null) return;
  throw new Failure(
    `Another hoplink tail (process ${holder}) is using ${path}`,
    "failed",
    "Stop that process, or use another file: --cursor FILE",
  );
}

export function unlockCursorFile(path: string): void {
  releaseProcessLock(lockPath(path));
}

function lockPath(path: string): string {
  return `${path}.lock`;
}

export async function readCursor(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw new Failure(`Cannot read the cursor file: ${error.message}`);
  });
  return text.trim() || undefined;
}

export function writeCursor(path: string, cursor: string): Promise<void> {
  return replaceFile(path, `${cursor}\n`);
}
