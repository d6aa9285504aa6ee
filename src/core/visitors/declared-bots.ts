/**
 * Which User-Agents declare a bot: the patterns of isbot (6 kB minified) without those of plain HTTP libraries, and some
 * more. Pure.
 */
import { createIsbotFromList, list } from "isbot";

import { USER_AGENT_MAX_CHARS } from "./user-agent.ts";

/**
 * Whether the User-Agent owns up to being a crawler, a link unfurler, a monitor or a headless tool. Plain HTTP libraries
 * are not bots, known to us or not: people script with them. Nor is a client that sends no User-Agent at all.
 */
export function isDeclaredBot(userAgent: string): boolean {
  return matchesBotPattern(userAgent.slice(0, USER_AGENT_MAX_CHARS).replace(LIBRARY_HOME_PAGES, "-"));
}

/** Patterns of isbot that match plain HTTP libraries: by name, or by a mere shape, as `name/1.2.3` or no space in it. */
const LIBRARY_PATTERNS: ReadonlySet<string> = new Set([
  "(?<!lib)http",
  "\\bperl\\b",
  "^[\\w \\.\\-\\(?:\\):%]+(?:/v?\\d+(?:\\.\\d+)?(?:\\.\\d{1,10})*?)?(?:,|$)",
  "^[\\w\\-]+/[\\w]+$",
  "^[^ ]{50,}$",
  "^\\w+/[\\w\\(\\)]*$",
  "^php",
  "^postman",
  "^python",
  "^rest",
  "^wget",
  "agent\\b",
  "java(?!;)",
  "node\\b",
  "url",
]);

/** What only the patterns above caught: a contact address, and bots whose whole User-Agent is a name and a version. */
const EXTRA_BOT_PATTERNS = [
  "https?://",
  "(?<!super)agent\\b",
  "\\bcolly\\b",
  "\\bfetcher\\b",
  "^kube-probe",
  "^monit/",
  "^nodeping",
  "^scrapy",
  "^updown\\.io",
  "^uptrends",
  "^viber$",
  "^zabbix",
  "check_http",
  "gtmetrix",
  "meta-external",
  "uptime",
  "url(?:check|lookup|preview)",
];

/** Libraries that put their home page where bots put their contact. */
const LIBRARY_HOME_PAGES =
  /https?:\/\/(?:github\.com\/(?:bitinn\/node-fetch|go-resty\/resty|sindresorhus\/got|typhoeus\/typhoeus)|www\.thunderclient\.com)/g;

const matchesBotPattern = createIsbotFromList([
  ...list.filter((pattern) => !LIBRARY_PATTERNS.has(pattern)),
  ...EXTRA_BOT_PATTERNS,
]);
