/** The clipboard of the browser that files share: filling it keeps the other files away until the text is read. */
import { mkdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { inject } from "vitest";

export async function withClipboard<T>(work: () => Promise<T>): Promise<T> {
  // Only one process can create a folder. The port is unique to the run.
  const lock = join(tmpdir(), `hoplink-clipboard-${new URL(inject("sharedUrl")).port}`);
  while (!isMade(lock)) await sleep(10);
  try {
    return await work();
  } finally {
    rmdirSync(lock);
  }
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
