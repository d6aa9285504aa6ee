import { readFile } from "node:fs/promises";

import { usageFailure } from "./failure.ts";

/** @throws Failure that says which file */
export async function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw usageFailure(error.code === "ENOENT" ? `There is no file ${path}` : `${path}: ${error.message}`);
  });
}
