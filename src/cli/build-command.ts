/** The command `hoplink` in one file, with all that it uses, so that the package has no dependencies. */
import { chmod } from "node:fs/promises";
import { join, resolve } from "node:path";

const SOURCE = resolve(import.meta.dirname, "../client");
const NAME = "cli.js";

/** @returns the file's path */
export async function writeCommand(outDir: string): Promise<string> {
  // Takes a second to load: wrong arguments are refused before.
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: SOURCE,
    logLevel: "warn",
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: join(SOURCE, "cli/hoplink.ts"),
      outDir,
      emptyOutDir: false,
      target: "node20",
      minify: false,
      rolldownOptions: { output: { entryFileNames: NAME, codeSplitting: false } },
    },
  });
  const path = join(outDir, NAME);
  await chmod(path, 0o755);
  return path;
}
