/** `npm run build`: writes the dashboard and the documentation into `dist/` (`build-site.ts`). */
import { commandMain, runAsProcess } from "./command.ts";

const USAGE = `Usage: npm run build

Build the dashboard and the documentation into dist/.`;

export const main = commandMain(USAGE, {}, async () => {
  const { buildSite } = await import("./build-site.ts");
  await buildSite();
});

if (import.meta.main) await runAsProcess(main);
