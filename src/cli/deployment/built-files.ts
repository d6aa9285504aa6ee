/** The dashboard's and the documentation's files, which go with a deployment. */
import { resolve } from "node:path";

import { keepAssets } from "../keep-assets.ts";
import type { Progress } from "./progress.ts";

const ASSETS = resolve(import.meta.dirname, "../../../dist/dashboard/assets");

/** Loads the bundlers only now. */
export async function buildFiles(): Promise<void> {
  const { buildSite } = await import("../build-site.ts");
  await buildSite();
}

/** Pages that are open go on loading their own release's files. */
export async function keepEarlierFiles(baseUrl: string, progress: Progress): Promise<void> {
  await tolerate(progress, "open pages of the dashboard must be reloaded", () =>
    keepAssets(ASSETS, baseUrl, Date.now()),
  );
}

/** For what a deployment can be without: tokens differ in their permissions. */
export async function tolerate<T>(progress: Progress, consequence: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    progress.warn(`${consequence}: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
