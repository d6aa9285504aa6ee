/** The pages' script as one file. */
import { join } from "node:path";

import { build } from "vite";

export async function bundledScript(): Promise<string> {
  const built = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: "warn",
    build: {
      write: false,
      target: "es2022",
      lib: { entry: join(import.meta.dirname, "client/main.ts"), formats: ["es"] },
    },
  });
  const [chunk] = [built].flat().flatMap((each) => ("output" in each ? each.output : []));
  if (chunk?.type !== "chunk") throw new Error("The script was not built");
  return chunk.code;
}
