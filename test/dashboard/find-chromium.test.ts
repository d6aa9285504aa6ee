/** Selects the browser for the dashboard's tests on each platform. */
import { expect, test } from "vitest";

import { findChromium } from "../support/find-chromium.ts";

const MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const MAC_OF_USER = "/Users/ada/Applications/Chromium.app/Contents/MacOS/Chromium";
const WINDOWS = {
  PROGRAMFILES: String.raw`C:\Program Files`,
  "PROGRAMFILES(X86)": String.raw`C:\Program Files (x86)`,
  LOCALAPPDATA: String.raw`C:\Users\ada\AppData\Local`,
};
const EDGE = String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`;
const CHROME_OF_USER = String.raw`C:\Users\ada\AppData\Local\Google\Chrome\Application\chrome.exe`;

interface Case {
  title: string;
  platform: NodeJS.Platform;
  env: Record<string, string>;
  files: string[];
  found: string | undefined;
}

const CASES: Case[] = [
  {
    title: "Linux: Chromium before Chrome",
    platform: "linux",
    env: { PATH: "/opt/tools:/usr/bin" },
    files: ["/opt/tools/google-chrome", "/usr/bin/chromium"],
    found: "/usr/bin/chromium",
  },
  {
    title: "Linux: the first folder of PATH",
    platform: "linux",
    env: { PATH: "/opt/tools:/usr/bin" },
    files: ["/usr/bin/chromium", "/opt/tools/chromium"],
    found: "/opt/tools/chromium",
  },
  {
    title: "Linux: without PATH",
    platform: "linux",
    env: {},
    files: ["/snap/bin/chromium"],
    found: "/snap/bin/chromium",
  },
  {
    title: "Linux: nothing of the working folder",
    platform: "linux",
    env: { PATH: ":" },
    files: ["chromium"],
    found: undefined,
  },
  { title: "macOS", platform: "darwin", env: {}, files: [MAC], found: MAC },
  {
    title: "macOS: a user's own",
    platform: "darwin",
    env: { HOME: "/Users/ada" },
    files: [MAC, MAC_OF_USER],
    found: MAC_OF_USER,
  },
  {
    title: "macOS: of Homebrew",
    platform: "darwin",
    env: { PATH: "/opt/homebrew/bin" },
    files: ["/opt/homebrew/bin/chromium"],
    found: "/opt/homebrew/bin/chromium",
  },
  { title: "Windows: Edge, which is always there", platform: "win32", env: WINDOWS, files: [EDGE], found: EDGE },
  {
    title: "Windows: Chrome before Edge",
    platform: "win32",
    env: WINDOWS,
    files: [EDGE, CHROME_OF_USER],
    found: CHROME_OF_USER,
  },
  { title: "Windows without its variables", platform: "win32", env: {}, files: [EDGE], found: undefined },
  {
    title: "CHROMIUM wins",
    platform: "linux",
    env: { PATH: "/usr/bin", CHROMIUM: "/tmp/built/chrome" },
    files: ["/usr/bin/chromium", "/tmp/built/chrome"],
    found: "/tmp/built/chrome",
  },
  {
    title: "nothing is installed",
    platform: "linux",
    env: { PATH: "/usr/bin" },
    files: ["/usr/bin/firefox"],
    found: undefined,
  },
];

test.each(CASES)("$title", ({ platform, env, files, found }) => {
  expect(findChromium({ platform, env, isExecutable: (path) => files.includes(path) })).toBe(found);
});

test("a missing CHROMIUM is reported, even if another browser is installed", () => {
  const env = { PATH: "/usr/bin", CHROMIUM: "/tmp/gone" };
  const isExecutable = (path: string) => path === "/usr/bin/chromium";
  expect(() => findChromium({ platform: "linux", env, isExecutable })).toThrow("CHROMIUM names /tmp/gone");
});
