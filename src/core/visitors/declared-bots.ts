/**
 * Recognizes bots that declare themselves in the User-Agent. Uses the patterns of isbot (6 kB minified), without those
 * that match plain HTTP libraries, and some more. Undeclared bots count as human, as do browsers inside other programs.
 * `RequestVisitor` in `visitor.ts` sets a click's class from it. Pure.
 */
import { createIsbotFromList, list } from "isbot";

import { USER_AGENT_MAX_CHARS } from "./user-agent.ts";

/**
 * Bot names at the beginning of a User-Agent without any other sign of a bot. A browser's User-Agent begins with
 * `Mozilla` or `Opera`, so names are searched for at the beginning only, which costs next to nothing. Pure.
 */

/** Patterns, in lower case. No letter or digit follows a name, unless it ends in punctuation. */
const BOT_NAMES: readonly string[] = [
  "a6-indexer",
  "acunetix",
  "adminlabs",
  "adventurer",
  "alienfarm",
  "anthropic-ai",
  "appsiteassociation",
  "asnriskscorer",
  "bdfetch",
  "bigsur\\.ai",
  "bitbucket-webhooks",
  "blackboard safeassign",
  "blackduck-fd",
  "bling erp",
  "blogtrottr",
  "bluesky/",
  "bushbaby",
  "coccoc",
  "cohere-ai",
  "corporama matcher",
  "crusty/",
  "cyotekwebcopy",
  "daumoa",
  "determ",
  "digicert dcv",
  "disqus/",
  "ds9 ",
  "easybill-importmanager",
  "ec2linkfinder",
  "fastdast",
  "fastmailua",
  "funnelback",
  "gigablast\\w*",
  "github-camo",
  "globalwebsearchx?",
  "gopay",
  "happywing",
  "hatena",
  "hello world",
  "hydrozen\\.io",
  "imagemind",
  "integromat/",
  "jumio",
  "klaviyo/",
  "l9explore",
  "legalmonster",
  "magellan",
  "magicsearchdev/",
  "make/production",
  "managewp",
  "metorik",
  "mollie http client",
  "netapi",
  "netvigie",
  "ning/",
  "novellum",
  "nuzzel",
  "nvdorz",
  "omnisend/",
  "onetrust",
  "opencode-smartfetch",
  "outlook",
  "panopta",
  "pdf24 url to pdf",
  "penthouse critical path css generator",
  "pingping\\.io",
  "potions/",
  "reelevant/",
  "reward-gateway",
  "searcherx?web",
  "searchexpress",
  "sendgrid",
  "sfdc-callout",
  "shopify-captain-hook",
  "sitelock",
  "sitesucker",
  "snipcart/",
  "sparkpost",
  "sparkshipping",
  "spawning-ai",
  "ssl labs",
  "swisscows",
  "termly",
  "test certificate info",
  "the knowledge ai",
  "theinternetsearchx",
  "trellis-services",
  "trustly/",
  "tumblr/",
  "upflow",
  "vaultpress",
  "venus/",
  "web screen service",
  "webflow",
  "wesee:search",
  "whatweb/",
  "wjhro/",
  "wordup-",
  "workona-favicon-service",
  "wpumbrella",
  "yokoygroupag",
  "zapier",
  "zendesk webhook",
  "zmeu",
];

/**
 * Whether the User-Agent declares a crawler, a link unfurler, a monitor or a headless tool. Plain HTTP libraries are
 * not bots, since people write scripts with them; nor is a client without a User-Agent.
 */
export function isDeclaredBot(userAgent: string): boolean {
  const text = boundedText(userAgent);
  return BOT_NAME_PATTERN.test(text) || matchesBotPattern(text.replace(LIBRARY_HOME_PAGES, "-"));
}

/** Marks a truncated text as not ended; otherwise a pattern that ends in `$` could match an app's browser as a bot. */
function boundedText(userAgent: string): string {
  return userAgent.length > USER_AGENT_MAX_CHARS ? `${userAgent.slice(0, USER_AGENT_MAX_CHARS)}…` : userAgent;
}

/**
 * isbot patterns that match plain HTTP libraries: by name, or by shape, such as `name/1.2.3` or a text without spaces.
 */
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

/** Bots that only the patterns above match: by a contact URL, or because the User-Agent is only a name. */
const EXTRA_BOT_PATTERNS = [
  "https?://",
  "(?<!super)agent\\b",
  "\\bcolly\\b",
  "\\bfetcher\\b",
  "\\bms-?office\\b",
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
  "microsoft outlook",
  "miniature\\.io",
  "outbrain",
  "tsm-turingos",
  "uptime",
  "url(?:check|lookup|preview)",
  "ylt chrome",
];

/** Home pages that libraries name where bots name their contact. */
const LIBRARY_HOME_PAGES =
  /https?:\/\/(?:github\.com\/(?:bitinn\/node-fetch|go-resty\/resty|sindresorhus\/got|typhoeus\/typhoeus)|www\.thunderclient\.com)/g;

const BOT_NAME_PATTERN = new RegExp(`^(?:${BOT_NAMES.join("|")})(?<!\\w(?=\\w))`, "i");

const matchesBotPattern = createIsbotFromList([
  ...list.filter((pattern) => !LIBRARY_PATTERNS.has(pattern)),
  ...EXTRA_BOT_PATTERNS,
]);
