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
  const [server, browser] = await Promise.all([startDevServer(settings), startChromium()]);
  const stop = async () => {
    await Promise.all([browser.close(), server.remove()]);
  };
  return { server, browser, stop };
}
