/** `npm run build`: writes the generated files (`build-site.ts`). */
import { runCommand } from "./command.ts";

const USAGE = `Usage: npm run build [-- options]

  --site  writes only dist/, so that a test can detect an outdated document in the repository`;

await runCommand(USAGE, { options: { site: { type: "boolean" } } }, async ({ values: { site } }) => {
  const { buildSite, writeDocument } = await import("./build-site.ts");
  await buildSite();
  if (!site) await writeDocument();
});
