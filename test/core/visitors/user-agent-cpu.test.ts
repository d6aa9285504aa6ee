/** The CPU that a stranger's User-Agent can cost, as a multiple of an ordinary one's in the same run. */
import { describe, expect, test } from "vitest";

import { PATTERN_REPLACEMENTS } from "../../../src/core/visitors/user-agent.ts";
import { cpuMsOf, libraryPatternSources, slowestUserAgent } from "../../support/slow-user-agents.ts";
import { USER_AGENTS } from "./user-agents.ts";

/** An ordinary User-Agent takes 0.02 ms: this is 1 ms. The fuzzer finds 1,000 times with the parser's own patterns. */
const WORST_RATIO = 50;

describe("CPU of a User-Agent", () => {
  test("no User-Agent built from the libraries' own words costs more than 5 ms", { timeout: 120_000 }, () => {
    for (const { userAgent } of USER_AGENTS) cpuMsOf(userAgent, 20);
    const ordinary = USER_AGENTS.reduce((sum, { userAgent }) => sum + cpuMsOf(userAgent, 5), 0) / USER_AGENTS.length;
    const { text, ms } = slowestUserAgent(4_000, 2 * WORST_RATIO * ordinary);
    expect(ms / ordinary, text).toBeLessThan(WORST_RATIO);
  });

  test("every replaced pattern is one of the parser's", () => {
    const sources = new Set(libraryPatternSources());
    expect([...PATTERN_REPLACEMENTS.keys()].filter((source) => !sources.has(source))).toEqual([]);
  });

  test.each([
    "Mozilla/5.0 (Linux; U; Android 4.0.3; de-de; GT-I9100) AppleWebKit/534.30 Version/4.0 Mobile Safari/534.30",
    "Mozilla/5.0 (Linux; Android 9; SO-01K Build/1) AppleWebKit/537.36 Chrome/88.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Linux; Android 9; 401SO) AppleWebKit/537.36 Chrome/88.0 Safari/537.36",
    "Mozilla/5.0 (Linux; Android 4.2.2; ARCHOS 101 PLATINUM Build/JDQ39)",
    "Mozilla/5.0 (Linux; Android 4.2.2; Archos 5 Build/JDQ39)",
    "Mozilla/5.0 (Linux; Android 4.2.2; Archos Hello 7 Build/JDQ39)",
    "Mozilla/5.0 (Linux; Android 4.2.2; Archos 55 diamond Build/JDQ39)",
    "Mozilla/5.0 (Linux; Android 7.1.2; AFTMM Build/NS6265; wv) AppleWebKit/537.36",
    "HbbTV/1.2.1 (+PVR; Technisat; DIGIT ISIO S) HbbTV/1.1.1 TechniSat ISIO; 1",
    "Mozilla/5.0 (Linux; Android 12; Unheard Of Build/1) AppleWebKit/537.36 Chrome/88.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Linux; Android 12; Unheard Of) AppleWebKit/537.36 Chrome/88.0 Safari/537.36",
    "Mozilla/5.0 (Linux; Android 12; Unheard Of; wv) AppleWebKit/537.36 Chrome/88.0 Mobile Safari/537.36",
  ])("a replacement matches what the parser's pattern matches: %s", (userAgent) => {
    for (const [source, replacement] of PATTERN_REPLACEMENTS) {
      const theirs = new RegExp(source, "i").exec(userAgent);
      if (replacement) expect(replacement.test(userAgent), source).toBe(theirs !== null);
    }
  });
});
