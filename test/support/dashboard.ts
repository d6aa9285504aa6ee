/** The development server and a browser in front of it, for tests of the dashboard. */
import type { Browser } from "playwright-core";

import { startChromium } from "./chromium.ts";
import { type DevServer, startDevServer } from "./dev-server.ts";

export interface Dashboard {
  server: DevServer;
  browser: Browser;
  stop: () => Promise<void>;
}

/** @param settings  environment variables that the development server reads */
export async function startDashboard(settings: Record<string, string> = {}): Promise<Dashboard> {
  // This order leaves nothing behind: a server outlives the tests, a browser does not.
  const browser = await startChromium();
  const server = await startDevServer(settings);
  const stop = async () => {
    await Promise.all([browser.close(), server.remove()]);
  };
  return { server, browser, stop };
}
