/** Before the first test that needs it: otherwise each worker would unpack a browser of its own. */
import { someChromium } from "./chromium.ts";

export default async function setup(): Promise<void> {
  // Where there is no browser, the tests that need one say so; the others run.
  await someChromium().catch(() => undefined);
}
