/**
 * Whatever reads a stranger's text takes time by its length, not by the square of it: 32 KiB of two repeated pieces that
 * regular expressions like to backtrack over, against copying the same text as JSON in the same run.
 */
import { expect, test } from "vitest";

import { CreateLink, ListLinksQuery } from "../../src/core/contract/links.ts";
import { parseApiKey } from "../../src/core/credentials.ts";
import { parseDomainName } from "../../src/core/domains/domain-name.ts";
import { hostsOf } from "../../src/core/host-settings.ts";
import { parseRequestUrl } from "../../src/core/hosts.ts";
import { jsonTextProblems } from "../../src/core/contract/json-text.ts";
import { prefersProblemJson } from "../../src/core/http/accept.ts";
import { hasCurrentEtag } from "../../src/core/http/entity-tags.ts";
import { withVisitorQuery } from "../../src/core/links/forwarded-query.ts";
import { locationOf } from "../../src/core/links/location.ts";
import { parseShortUrl } from "../../src/core/links/short-url.ts";
import { fetchableUrl } from "../../src/core/previews/fetchable-url.ts";
import { readScan } from "../../src/core/qr/token.ts";
import { isTimestamp } from "../../src/core/timestamp.ts";
import { hasOverlongHost, parseUrl } from "../../src/core/untrusted-url.ts";
import { preferredLanguage, parseReferrer, RequestVisitor } from "../../src/core/visitors/visitor.ts";
import { canonicalLanguage, withoutWww } from "../../src/core/visitors/canonical-facts.ts";

const CHARS = 32 * 1024;
/** What is linear takes up to 40 times as long as the copy; a regular expression that is quadratic, 10,000 times. */
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
  // Unicode sorts marks of different classes: two of them in turn take the time of an insertion sort.
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
const VISIT = { source: "link", at: 1_790_000_000_000, linkId: "lnk_1" } as const;

const READERS: Record<string, (text: string) => unknown> = {
  "a visitor's headers": (text) => {
    const value = text.replaceAll(/[^\x20-\x7e]/g, "x");
    const names = ["user-agent", "accept-language", "referer", "sec-ch-ua", "sec-ch-ua-platform", "purpose"];
    return new RequestVisitor(new Headers(names.map((name) => [name, value])), {}, { ...VISIT, search: text });
  },
  "Accept-Language": preferredLanguage,
  "a language tag": canonicalLanguage,
  Referer: parseReferrer,
  "a host name": withoutWww,
  "a URL": parseUrl,
  "a Location": (text) => locationOf(`https://example.com/${text}`),
  "names in JSON": (text) => jsonTextProblems(JSON.stringify([text, { [text]: text.split("") }])),
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

test.each(Object.entries(READERS))("%s takes time by its length alone", { timeout: 120_000 }, (_, read) => {
  for (const beginning of BEGINNINGS) {
    for (const one of PIECES) {
      for (const other of ["", "!", "."]) {
        const text = beginning + (one + other).repeat(CHARS / (one + other).length - beginning.length);
        const copy = () => JSON.parse(JSON.stringify(text)) as string;
        const [ours, floor] = [cpuOf(() => read(text)), cpuOf(copy)];
        expect(ours / floor, `${one}${other}`).toBeLessThan(WORST_RATIO);
      }
    }
  }
});

/** CPU ms, the lesser of two; a copy takes at least 0.05. */
function cpuOf(read: () => unknown): number {
  const runs = [0, 1].map(() => {
    const before = process.cpuUsage();
    read();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(Math.min(...runs), 0.05);
}
