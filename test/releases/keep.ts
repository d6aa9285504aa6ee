/** Keeps the release as the code is now, for the next one to be tried against (README.md). */
import { writeFile } from "node:fs/promises";

import { currentRelease, PREVIOUS_BUNDLE } from "./bundle.ts";

const script = await currentRelease();
await writeFile(PREVIOUS_BUNDLE, script);
console.log(`${PREVIOUS_BUNDLE}: ${script.length} bytes`);
