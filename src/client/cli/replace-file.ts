import { randomUUID } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";

import { cannotWrite } from "./failure.ts";

type Content = string | AsyncIterable<Uint8Array>;

/**
 * Another process sees the file as it was or as it becomes, also after a power cut. Content that breaks off leaves it as
 * it was.
 * @param mode  by default nobody else may read it
 */
export function replaceFile(path: string, content: Content, mode = 0o600): Promise<void> {
  return replace(path, content, mode).catch(cannotWrite(path));
}

async function replace(path: string, content: Content, mode: number): Promise<void> {
  // In a folder of all, as /tmp, a name that can be guessed could be another's file, or his link to one of yours.
  const next = `${path}.${randomUUID()}.tmp`;
  const file = await open(next, "wx", mode);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** Who may read a file that is there, so that replacing it lets nobody else. @param mode  when there is none */
export async function modeOf(path: string, mode: number): Promise<number> {
  const there = await stat(path).catch(() => null);
  return there === null ? mode : there.mode & 0o777;
}
