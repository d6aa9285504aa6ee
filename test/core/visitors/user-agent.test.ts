import { Buffer } from "node:buffer";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { isDeclaredBot } from "../../../src/core/visitors/declared-bots.ts";
import { BROWSERS, DEVICES, OSES } from "../../../src/core/visitors/fact-values.ts";
import { type ClientHints, detectClient } from "../../../src/core/visitors/user-agent.ts";
import { USER_AGENTS } from "./user-agents.ts";

const NO_HINTS: ClientHints = { mobile: null, platform: null, brands: null };
const NOTHING = { device: "other", os: "other", browser: "other" };

const ANDROID_PHONE =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36";
const ANDROID_TABLET = ANDROID_PHONE.replace(" Mobile", "");
const ANDROID_TV = ANDROID_PHONE.replace("10; K", "9; BRAVIA 4K GB ATV3");
const WINDOWS =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
const LINUX = WINDOWS.replace("Windows NT 10.0; Win64; x64", "X11; Linux x86_64");
const IPAD =
  "Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.7 Mobile/15E148 Safari/604.1";

const CHROME_BRANDS = '"Google Chrome";v="131", "Chromium";v="131", "Not_A Brand";v="24"';

describe("the table of User-Agents", () => {
  test("is large, and names no client twice", () => {
    expect(USER_AGENTS.length).toBeGreaterThanOrEqual(350);
    expect(new Set(USER_AGENTS.map((row) => row.userAgent)).size).toBe(USER_AGENTS.length);
  });

  test.each(USER_AGENTS)("$device $os $browser: $userAgent", ({ userAgent, device, os, browser }) => {
    expect(detectClient(userAgent, NO_HINTS)).toEqual({ device, os, browser });
  });

  test.each(USER_AGENTS)("$sender: $userAgent", ({ userAgent, sender }) => {
    expect(isDeclaredBot(userAgent)).toBe(sender === "bot");
  });
});

describe("describeClient", () => {
  test("returns no facts for a client without headers", () => {
    expect(detectClient("", NO_HINTS)).toEqual(NOTHING);
    expect(detectClient("   ", NO_HINTS)).toEqual(NOTHING);
    expect(detectClient("-", NO_HINTS)).toEqual(NOTHING);
  });

  test.each([
    ["a phone", "?1", '"Android"', "mobile", "android"],
    ["a tablet, which Chrome reports as not mobile", "?0", '"Android"', "tablet", "android"],
    ["Windows", "?0", '"Windows"', "desktop", "windows"],
    ["a Mac", "?0", '"macOS"', "desktop", "macos"],
    ["Linux", "?0", '"Linux"', "desktop", "linux"],
    ["a Chromebook", "?0", '"Chrome OS"', "desktop", "chromeos"],
    ["a Chromebook by its other name", "?0", '"Chromium OS"', "desktop", "chromeos"],
  ])("uses the hints of %s without a User-Agent", (_name, mobile, platform, device, os) => {
    const client = detectClient("", { mobile, platform, brands: CHROME_BRANDS });
    expect(client).toEqual({ device, os, browser: "chrome" });
  });

  test("prefers hints to the User-Agent", () => {
    const hints = { mobile: "?1", platform: '"Android"', brands: null };
    expect(detectClient(LINUX, hints)).toEqual({ device: "mobile", os: "android", browser: "chrome" });
    expect(detectClient(ANDROID_TABLET, { ...NO_HINTS, mobile: "?1" }).device).toBe("mobile");
    expect(detectClient(ANDROID_PHONE, { ...NO_HINTS, mobile: "?0" }).device).toBe("tablet");
    expect(detectClient(WINDOWS, { ...NO_HINTS, platform: '"Chrome OS"' }).os).toBe("chromeos");
  });

  test("classes an iPad as a tablet and a TV as a TV, regardless of its mobile hint", () => {
    expect(detectClient(IPAD, { ...NO_HINTS, mobile: "?1" }).device).toBe("tablet");
    const television = detectClient(ANDROID_TV, { mobile: "?0", platform: '"Android"', brands: CHROME_BRANDS });
    expect(television).toEqual({ device: "other", os: "android", browser: "chrome" });
  });

  test.each([
    ["chrome", CHROME_BRANDS],
    ["chrome", '" Not A;Brand";v="99", "Chromium";v="98", "Google Chrome";v="98"'],
    ["edge", '"Microsoft Edge";v="131", "Chromium";v="131", "Not_A Brand";v="24"'],
    ["opera", '"Chromium";v="130", "Opera";v="115", "Not?A_Brand";v="99"'],
    ["opera", '" Not A;Brand";v="99", "Chromium";v="96", "Opera";v="82", "OperaMobile";v="67"'],
    ["samsung", '"Samsung Internet";v="27.0", "Chromium";v="125", "Not.A/Brand";v="24"'],
    ["other", '"Brave";v="131", "Chromium";v="131", "Not_A Brand";v="24"'],
    ["other", '"Android WebView";v="131", "Chromium";v="131", "Not_A Brand";v="24"'],
    ["other", '"Microsoft Edge";v="131", "Microsoft Edge WebView2";v="131", "Chromium";v="131"'],
  ])("recognizes %s by its brands", (browser, brands) => {
    expect(detectClient(WINDOWS, { ...NO_HINTS, brands }).browser).toBe(browser);
  });

  test.each([
    { mobile: "1", platform: null, brands: null },
    { mobile: "?2", platform: null, brands: null },
    { mobile: "?1, ?0", platform: null, brands: null },
    { mobile: null, platform: "Android", brands: null },
    { mobile: null, platform: '"Android', brands: null },
    { mobile: null, platform: '"Unknown"', brands: null },
    { mobile: null, platform: '"Android", "iOS"', brands: null },
    { mobile: null, platform: '""', brands: null },
    { mobile: null, platform: null, brands: "Microsoft Edge" },
    { mobile: null, platform: null, brands: '"Microsoft Edge";v=131' },
    { mobile: null, platform: null, brands: '"Microsoft Edge";v="131"; DROP' },
    { mobile: null, platform: null, brands: '"Chromium";v="131", "Some Fork";v="1"' },
    { mobile: "", platform: "", brands: "" },
  ])("ignores hints that are malformed or unknown: %o", (hints) => {
    expect(detectClient(WINDOWS, hints)).toEqual({ device: "desktop", os: "windows", browser: "chrome" });
  });
});

describe("isDeclaredBot", () => {
  test("accepts a client that sends no User-Agent", () => {
    expect(isDeclaredBot("")).toBe(false);
  });

  test("treats a library as a bot only if isbot's list names it", () => {
    expect(isDeclaredBot("acme-inventory-sync/1.4.2")).toBe(false);
    expect(isDeclaredBot("AcmeSync 2")).toBe(false);
    expect(isDeclaredBot("fasthttp")).toBe(false);
    expect(isDeclaredBot("com.acme.warehouse.inventory.synchronisation.worker/1.4.2")).toBe(false);
  });

  test("recognizes a bot whose User-Agent also names its library", () => {
    expect(isDeclaredBot("python-requests/2.32.3 (AcmeBot; +https://acme.example/bot)")).toBe(true);
    expect(isDeclaredBot("AcmeCrawler/1.0 Go-http-client/1.1")).toBe(true);
    expect(isDeclaredBot("axios/1.7.2 (ops@acme.example)")).toBe(true);
    expect(isDeclaredBot("node-fetch/1.0 (+https://github.com/acme/link-expander)")).toBe(true);
  });

  test("is case-insensitive", () => {
    expect(isDeclaredBot("SLACKBOT 1.0 (+HTTPS://API.SLACK.COM/ROBOTS)")).toBe(true);
    expect(isDeclaredBot("go-http-client/1.1")).toBe(false);
  });
});

describe("hostile input", () => {
  const LONG = 1_000_000;
  const HOSTILE = [
    "a".repeat(LONG),
    `${ANDROID_PHONE} ${"x".repeat(LONG)}`,
    "(".repeat(LONG),
    "\u0000\u0007\u001b[31m\r\n".repeat(1000),
    "\u{1f600}\ud800".repeat(1000),
    // Input on which the libraries' regular expressions backtrack most.
    `whale${"naver(1.1.1a".repeat(100)}`,
    `whmobile/a${"naver(mobile/a".repeat(5)}${"1.1a1.1".repeat(100)}`,
    `(${"droid ; adroid droid ".repeat(100)}`,
    "dead os a ".repeat(100),
    `mozilla/5.0 (${"mobile; rv: gecko/".repeat(100)}`,
    `Mozilla/5.0 (${"a.1 ".repeat(200)}`,
  ];

  test.each(HOSTILE.map((text) => [text.slice(0, 40), text] as const))("costs next to nothing: %j", (_start, text) => {
    // Ten variants, built before the clock starts: no cache of a regular expression's last answer may help.
    const variantsOf = (of: string) => Array.from({ length: 10 }, (_, turn) => Buffer.from(`${turn}${of}`).toString());
    const [hostile, ordinary] = [cpuOf(variantsOf(text)), cpuOf(variantsOf(ANDROID_PHONE.repeat(2)))];
    expect(hostile / ordinary).toBeLessThan(100);
  });

  /** CPU ms, the least of three; of an ordinary one at least a tenth. */
  function cpuOf(userAgents: readonly string[]): number {
    const runs = [0, 1, 2].map(() => {
      const before = process.cpuUsage();
      for (const text of userAgents) {
        detectClient(text, { mobile: text, platform: text, brands: text });
        isDeclaredBot(text);
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.max(Math.min(...runs), 0.1);
  }

  test("reads no further than 256 characters", () => {
    const padding = "x".repeat(256);
    expect(isDeclaredBot(`${padding} Googlebot/2.1`)).toBe(false);
    expect(detectClient(`${padding} ${ANDROID_PHONE}`, NO_HINTS)).toEqual(NOTHING);
    expect(detectClient(ANDROID_PHONE + padding, NO_HINTS)).toMatchObject({ device: "mobile", os: "android" });
  });

  test("cannot reach inherited members of objects", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      expect(detectClient(name, { mobile: name, platform: `"${name}"`, brands: `"${name}";v="1"` })).toEqual(NOTHING);
    }
  });

  test("never throws, and never returns anything but its known words", () => {
    const text = fc.string({ unit: "binary", maxLength: 600 });
    const hint = fc.option(text, { nil: null });
    fc.assert(
      fc.property(text, hint, hint, hint, (userAgent, mobile, platform, brands) => {
        const { device, os, browser } = detectClient(userAgent, { mobile, platform, brands });
        expect(DEVICES).toContain(device);
        expect(OSES).toContain(os);
        expect(BROWSERS).toContain(browser);
        expect(typeof isDeclaredBot(userAgent)).toBe("boolean");
      }),
    );
  });
});
