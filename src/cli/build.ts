/** `npm run build`: writes the dashboard and the documentation into `dist/` (`build-site.ts`). */
import { commandMain, runAsProcess } from "./command.ts";

export const main = commandMain("Usage: npm run build", {}, async () => {
  const { buildSite } = await import("./build-site.ts");
  await buildSite();
});

if (import.meta.main) await runAsProcess(main);
