/**
 * Builds the dashboard into `dist/dashboard`, unless the existing build is newer than all its sources. Test servers
 * that start at the same time must not delete each other's files.
 */
import { build } from "vite";

import { isDashboardBuilt } from "./up-to-date.ts";
import config, { sharedPageConfig } from "./vite.config.ts";

export async function buildDashboard(): Promise<void> {
  if (await isDashboardBuilt()) return;
  // Vite takes its mode from NODE_ENV, which a test runner sets; without this, tests would serve React's development
  // build.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  const builds = build({ ...config, configFile: false }).then(() => build({ ...sharedPageConfig, configFile: false }));
  await builds.finally(() => {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  });
}

if (import.meta.main) await buildDashboard();
