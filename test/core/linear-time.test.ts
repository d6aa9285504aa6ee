/**
 * Readers of a stranger's text take linear time, not quadratic: 32 KiB of repeated pieces over which regular
 * expressions tend to backtrack, compared with copying a text of that length as JSON in the same run.
 */
import { expect, test } from "vitest";

import { CreateLink, ListLinksQuery } from "../../src/core/contract/links.ts";
import { prefersProblemJson } from "../../src/core/http/requests.ts";
import { parseApiKey } from "../../src/core/identifiers.ts";
import { parseDomainName } from "../../src/core/domains/domain-name.ts";
import { hostsOf } from "../../src/core/deployment/settings.ts";
import { parseRequestUrl, hasOverlongHost, parseUrl } from "../../src/core/hosts.ts";
import { jsonTextProblems } from "../../src/core/contract/primitives.ts";
import { hasCurrentEtag } from "../../src/core/http/entity-tags.ts";
import { locationOf, withVisitorQuery } from "../../src/core/links/visit-decision.ts";
import { parseShortUrl } from "../../src/core/links/link-search.ts";
import { fetchableUrl } from "../../src/core/http/public-web.ts";
import { readScan } from "../../src/core/qr/token.ts";
import { isTimestamp } from "../../src/core/time.ts";
import { parseReferrer, preferredLanguage } from "../../src/core/visitors/visitor.ts";
import { canonicalLanguage, withoutWww } from "../../src/core/visitors/fact-values.ts";
import { requestVisitor } from "../support/request-visitor.ts";

const CHARS = 32 * 1024;
const COPY_MS = msOfACopy();
/** Linear readers take up to 200 times as long as a copy; a quadratic regular expression 8,000 times. */
const WORST_RATIO = 400;

const PIECES = [
  "a",
  "0",
  "é",
  "-",
  "_",
  ".",
  ",",
  ";",
  ":",
  "/",
  "\\",
  " ",
  "\t",
  '"',
  "%",
  "=",
  "&",
  "@",
  "?",
  "www.",
  // Unicode sorts marks of different classes: two of them in turn cost as much as an insertion sort.
  "\u0300\u0323",
];
const BEGINNINGS = [
  "",
  "http://",
  "https://a/",
  "android-app://",
  "2026-12-31T23:59:59.",
  "svc_live_",
  "de-",
  "qr=",
  '"',
];

const HOSTS = hostsOf(
  {
    BASE_URL: "https://hop.example",
    SHORT_DOMAIN: "hop.example",
    TEST_SHORT_DOMAIN: "test.example",
  },
  "",
);

const READERS: Record<string, (text: string) => unknown> = {
  "a visitor's headers": (text) => {
    const value = text.replaceAll(/[^\x20-\x7e]/g, "x");
    const names = ["user-agent", "accept-language", "referer", "sec-ch-ua", "sec-ch-ua-platform", "purpose"];
    return requestVisitor({ headers: names.map((name) => [name, value]), search: text });
  },
  "Accept-Language": preferredLanguage,
  "a language tag": canonicalLanguage,
  Referer: parseReferrer,
  "a host name": withoutWww,
  "a URL": parseUrl,
  "a Location": (text) => locationOf(`https://example.com/${text}`),
  // A list takes four characters of JSON for one: a quarter of the text is as much to read as the text itself.
  "names in JSON": (text) => jsonTextProblems(JSON.stringify([text, { [text]: text.slice(0, CHARS / 4).split("") }])),
  "the length of a URL's host": hasOverlongHost,
  "the token of a scan": (text) => readScan("0".repeat(32), text),
  "the path of a short URL": (text) =>
    parseRequestUrl(`https://hop.example/${encodeURIComponent(text)}?${text}`, HOSTS),
  "a short domain": parseDomainName,
  "a time": isTimestamp,
  "an API key": parseApiKey,
  "a destination": (text) => CreateLink.safeParse({ url: text }),
  "a slug": (text) => CreateLink.safeParse({ url: "https://example.com/", slug: text }),
  "a domain": (text) => CreateLink.safeParse({ url: "https://example.com/", domain: text }),
  "a tag": (text) => CreateLink.safeParse({ url: "https://example.com/", tags: [text, "x"] }),
  "a title": (text) => CreateLink.safeParse({ url: "https://example.com/", title: text }),
  "tags of a list": (text) => ListLinksQuery.safeParse({ tag: [text] }),
  "a short URL": parseShortUrl,
  "a visitor's query": (text) => withVisitorQuery(`https://example.com/?${text}`, text),
  Accept: (text) => prefersProblemJson(`application/problem+json,${text}`),
  "If-None-Match": (text) => hasCurrentEtag(text, '"1"'),
  "a page to preview": (text) => fetchableUrl(text),
  "a condition": (text) => CreateLink.safeParse({ url: "https://e.x/", routing: [{ if: conditions(text), to: text }] }),
};

function conditions(text: string): Record<string, unknown> {
  const keys = ["country", "region", "city", "language", "referrer", "param", "device", "time", "weekday", text];
  return Object.fromEntries(keys.map((key) => [key, text]));
}

test.each(Object.entries(READERS))("%s takes linear time", { timeout: 120_000 }, (_, read) => {
  for (const beginning of BEGINNINGS) {
    for (const piece of PIECES) {
      for (const text of [filled(piece), `${filled(piece)}!`, filled(`${piece}!`), filled(`${piece}.`)]) {
        expect(timesACopy(read, beginning + text), `${piece}${text.slice(-2)}`).toBeLessThan(WORST_RATIO);
      }
    }
  }
});

function filled(piece: string): string {
  return piece.repeat(CHARS / piece.length);
}

/**
 * The CPU time of `read` as a multiple of a copy's. It is that of the whole process, whose garbage collector may run at
 * any moment: a reader over the bound is measured again, ten times, and its least counts. Quadratic readers stay above.
 */
function timesACopy(read: (text: string) => unknown, text: string): number {
  let leastMs = Infinity;
  for (let runs = 0; runs < 10 && leastMs / COPY_MS >= WORST_RATIO; runs++) {
    const tookMs = cpuMs(() => read(text));
    leastMs = Math.min(leastMs, tookMs);
  }
  return leastMs / COPY_MS;
}

function msOfACopy(): number {
  const text = filled("a");
  const copies = 1_000;
  const tookMs = cpuMs(() => {
    for (let copy = 0; copy < copies; copy++) {
      JSON.parse(JSON.stringify(text));
    }
  });
  return tookMs / copies;
}

function cpuMs(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
