/** `npm run build`: writes the dashboard and the documentation into `dist/` (`build-site.ts`). */
import { Command } from "@commander-js/extra-typings";

import { commandMain, runAsProcess } from "./command.ts";

const command = () => new Command("npm run build").description("Build the dashboard and the documentation into dist/.");

export const main = commandMain(command, async () => {
  const { buildSite } = await import("./build-site.ts");
  await buildSite();
});

if (import.meta.main) await runAsProcess(main);
