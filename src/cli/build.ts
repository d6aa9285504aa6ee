/** `npm run build`: writes the generated files (`build-site.ts`). */
import { commandMain, runAsProcess } from "./command.ts";

const USAGE = `Usage: npm run build [-- options]

  --site  writes only dist/, so that a test can detect an outdated document in the repository`;

export const main = commandMain(USAGE, { options: { site: { type: "boolean" } } }, async ({ values: { site } }) => {
  const { buildSite, writeDocument } = await import("./build-site.ts");
  await buildSite();
  if (!site) await writeDocument();
});

if (import.meta.main) await runAsProcess(main);
