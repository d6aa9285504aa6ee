/**
 * The Chromium of the dev dependency `@sparticuz/chromium`, for machines without one: a headless shell for Linux on
 * x64, with a font and the libraries that a bare system lacks.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const MODULES = resolve(import.meta.dirname, "../../node_modules");
const CACHE = join(MODULES, ".cache");

export const HAS_PACKAGED_CHROMIUM = process.platform === "linux" && process.arch === "x64";

export interface PackagedChromium {
  executablePath: string;
  env: Record<string, string | undefined>;
}

/** Unpacks it unless that was done. Safe in several processes simultaneously. */
export async function packagedChromium(cache = CACHE): Promise<PackagedChromium> {
  const folder = join(cache, `chromium-${packageVersion()}`);
  if (!existsSync(folder)) await unpack(cache, folder);
  const libraries = [join(folder, "al2023/lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(":");
  return {
    executablePath: join(folder, "chromium"),
    env: { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(folder, "fonts.conf") },
  };
}

/** Unpacks into a separate folder, renamed when it is complete: no process starts half a browser. */
async function unpack(cache: string, folder: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const staging = mkdtempSync(join(cache, "unpacking-chromium-"));
  try {
    // The package unpacks into the temporary folder, its libraries only where it takes the machine for AWS Lambda.
    const env = { ...process.env, TMPDIR: staging, AWS_LAMBDA_JS_RUNTIME: "nodejs24.x" };
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, "unpack-chromium.ts")], { env });
    writeFileSync(join(staging, "fonts.conf"), FONTS);
    renameSync(staging, folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** The package's own font next to those of the machine, if it has any. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
</fontconfig>
`;

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(MODULES, "@sparticuz/chromium/package.json"), "utf8")) as {
    version: string;
  };
  return version;
}
