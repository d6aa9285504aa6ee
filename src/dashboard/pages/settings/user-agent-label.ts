/** Browser and system of a User-Agent, as a label for sessions and passkeys. Rough: nothing depends on it. */
import { sessionListTexts as texts } from "../../texts/settings.ts";

const BROWSERS: [name: string, mark: RegExp][] = [
  ["Edge", /\bEdg/],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /SamsungBrowser/],
  ["Firefox", /Firefox\/|FxiOS/],
  ["Chrome", /Chrome\/|CriOS/],
  ["Safari", /Safari\//],
];

const OPERATING_SYSTEMS: [name: string, mark: RegExp][] = [
  ["iOS", /iPhone|iPad/],
  ["Android", /Android/],
  ["Windows", /Windows/],
  ["ChromeOS", /CrOS/],
  ["macOS", /Mac OS X/],
  ["Linux", /Linux/],
];

export function userAgentLabel(userAgent: string): string {
  const [browser, system] = [BROWSERS, OPERATING_SYSTEMS].map(
    (known) => known.find(([, mark]) => mark.test(userAgent))?.[0],
  );
  if (browser && system) return texts.browserOn(browser, system);
  return browser ?? system ?? texts.unknownBrowser;
}
