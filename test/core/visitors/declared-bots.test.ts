/**
 * 6 Bots against third-party lists: the examples of crawler-user-agents, and 10,000 User-Agents of browsers from the
 * package user-agents. The guide's table of bots names those found here.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import crawlers from "crawler-user-agents";
import { describe, expect, test } from "vitest";

import { isDeclaredBot } from "../../../src/core/visitors/declared-bots.ts";
import { detectClient } from "../../../src/core/visitors/user-agent.ts";

const GUIDE = readFileSync(resolve(import.meta.dirname, "../../../src/docs/statistics.md"), "utf8");
const LIBRARY_TAG = "http-library";
const FOUND_SHARE_MIN = 0.99;

/** On the list of crawlers, but used by people: browsers of Facebook, a phone model, editors and a desktop app. */
const BROWSERS_OF_PEOPLE = ["MetaIAB Facebook", "AP3A\\.240617\\.008", "Code\\/1\\.", "Trae\\/", "Fluid"];

/** The package's types lack the tags. */
const list: readonly { pattern: string; instances: string[]; tags?: string[] }[] = crawlers;
const examples = list.flatMap(({ pattern, instances, tags = [] }) =>
  instances.map((userAgent) => ({ pattern, tags, userAgent })),
);
const bots = examples.filter(({ tags }) => !tags.includes(LIBRARY_TAG));

describe("6 classes: the examples of crawler-user-agents", () => {
  test("6 except plain HTTP libraries, 99 % are bots, and the others are browsers of people", () => {
    const missed = bots.filter(({ userAgent }) => !isDeclaredBot(userAgent));
    expect(bots.length).toBeGreaterThan(1_900);
    expect(1 - missed.length / bots.length).toBeGreaterThanOrEqual(FOUND_SHARE_MIN);
    expect(missed.filter(({ pattern }) => !BROWSERS_OF_PEOPLE.includes(pattern))).toEqual([]);
  });

  test.each([
    "curl/8.11.0",
    "Wget/1.20.3 (linux-gnu)",
    "python-requests/2.32.3",
    "Python/3.9 aiohttp/3.7.3",
    "python-httpx/0.16.1",
    "Go-http-client/2.0",
    "okhttp/4.12.0",
    "Apache-HttpClient/4.5.10 (Java/1.8.0_201)",
    "axios/1.7.2",
    "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)",
    "HTTPie/3.2.2",
    "PostmanRuntime/7.43.0",
  ])("6 a plain HTTP library counts as human, on no known device: %s", (userAgent) => {
    expect(isDeclaredBot(userAgent)).toBe(false);
    expect(detectClient(userAgent, { mobile: null, platform: null, brands: null }).device).toBe("other");
  });

  test.each([
    "Mozilla/4.0 (compatible; ms-office; MSOffice 16)",
    "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Trident/7.0; Microsoft Outlook 16.0.5071; Microsoft Outlook 16.0.5071; ms-office; MSOffice 16)",
    "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.5071; Pro)",
    "Outlook-iOS/723.4027091.prod.iphone (4.50.0)",
    "Zapier",
    "github-camo (c006e452)",
    "HATENA::Bookmark/4.0",
  ])("6 a client that fetches a link before people do is a bot: %s", (userAgent) => {
    expect(isDeclaredBot(userAgent)).toBe(true);
  });

  test.each(["Makeup/1.0", "Determined/2.1", "ZapierSync/1.0", "Webflower 3", "Venus 2", "Outlooker/1.0"])(
    "6 a name that merely begins like a bot's is not one: %s",
    (userAgent) => {
      expect(isDeclaredBot(userAgent)).toBe(false);
    },
  );
});

test("6 of 10,000 User-Agents of browsers none is a bot", () => {
  const file = join(fileURLToPath(import.meta.resolve("user-agents")), "../user-agents.json");
  const browsers = (JSON.parse(readFileSync(file, "utf8")) as { userAgent: string }[]).map(
    ({ userAgent }) => userAgent,
  );
  expect(browsers.length).toBeGreaterThanOrEqual(10_000);
  expect([...new Set(browsers)].filter((userAgent) => isDeclaredBot(userAgent))).toEqual([]);
});

/** Rows of the guide's table: a tag of crawler-user-agents as a comment, and the names. */
const rows = [...GUIDE.matchAll(/^\| .+?<!-- (\S+) --> \| (`.+`) \|$/gm)].flatMap(([, tag = "", names = ""]) =>
  [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => ({ tag, name })),
);

describe("the table of bots in the guide", () => {
  test("has every kind of bot, and many names", () => {
    const tags = new Set(bots.flatMap((bot) => bot.tags));
    expect(new Set(rows.map(({ tag }) => tag))).toEqual(tags);
    expect(rows.length).toBeGreaterThan(60);
  });

  test.each(rows)("$name is a bot, and of the kind $tag", ({ tag, name }) => {
    const own = bots.filter(({ tags, userAgent }) => tags.includes(tag) && userAgent.includes(name));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(({ userAgent }) => !isDeclaredBot(userAgent))).toEqual([]);
  });
});
