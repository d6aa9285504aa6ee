/** A real headless Chromium: the machine's own, or the one of the dev dependencies. */
import { accessSync, constants } from "node:fs";

import { type Browser, chromium } from "playwright-core";

import { findChromium } from "./find-chromium.ts";
import { HAS_PACKAGED_CHROMIUM, packagedChromium } from "./packaged-chromium.ts";

const NO_BROWSER =
  "The dashboard's tests need a browser, and there is none: install Chromium, Chrome or Edge, or set CHROMIUM to the path of one.";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function startChromium(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ ...(await someChromium()), args: [...ARGUMENTS, ...more] });
}

/**
 * For many short pages: most end before the code that V8's optimizing compilers make has paid for itself. Pages of one
 * person share a process, which starts and compiles the dashboard's code once.
 */
export function startSharedChromium(): Promise<Browser> {
  return startChromium(["--js-flags=--no-opt --no-maglev", "--process-per-site"]);
}

/** The Chromium that tests start. Unpacks that of the dev dependencies if the machine has none. */
async function someChromium(): Promise<{ executablePath: string; env?: Record<string, string | undefined> }> {
  const executablePath = findChromium({ platform: process.platform, env: process.env, isExecutable });
  if (executablePath) return { executablePath };
  if (HAS_PACKAGED_CHROMIUM) return packagedChromium();
  throw new Error(NO_BROWSER);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
