/** Keeps the release as the code is now, for the next one to be tried against (README.md). */
import { writeFile } from "node:fs/promises";

import { runCommand } from "../../src/cli/command.ts";

await runCommand("Usage: npx node test/releases/keep.ts", {}, async () => {
  const { currentRelease, PREVIOUS_BUNDLE } = await import("./bundle.ts");
  const script = await currentRelease();
  await writeFile(PREVIOUS_BUNDLE, script);
  console.log(`${PREVIOUS_BUNDLE}: ${script.length} bytes`);
});
