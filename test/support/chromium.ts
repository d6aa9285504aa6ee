/** A real Chromium, headless: the machine's own, since nothing is downloaded for tests. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

import { type Browser, chromium } from "playwright-core";

const EXECUTABLE_NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const EXECUTABLE_PATHS = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function startChromium(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: [...ARGUMENTS, ...more] });
}

function chromiumPath(): string {
  const folders = (process.env.PATH ?? "").split(delimiter).concat("/usr/bin", "/usr/local/bin", "/snap/bin");
  const candidates = process.env.CHROMIUM
    ? [process.env.CHROMIUM]
    : [...EXECUTABLE_NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...EXECUTABLE_PATHS];
  const found = candidates.find(isExecutable);
  if (found) return found;
  const wanted = process.env.CHROMIUM ? `CHROMIUM names ${process.env.CHROMIUM}, which is not there` : "there is none";
  throw new Error(
    `The dashboard's tests need Chromium: ${wanted}. Install it (Debian: apt-get install chromium), or set CHROMIUM to the path of a Chromium or Chrome.`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
