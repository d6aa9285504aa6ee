import { describe, expect, test } from "vitest";

import type { LinkSnapshot } from "../../../src/core/links/link-snapshot.ts";
import {
  decideDefaultRedirect,
  decideVisit,
  type LinkLookup,
  type VisitDecision,
  type VisitRequest,
} from "../../../src/core/links/visit-decision.ts";
import { newQrId } from "../../../src/core/qr/token.ts";
import { splitOf } from "../../../src/core/visitors/split.ts";
import { userAgentDigest as digestOf } from "../../../src/core/visitors/visitor-hashes.ts";

const NOW = Date.UTC(2026, 10, 21, 9);
const QR_KEY = "00112233445566778899aabbccddeeff";
const QR_ID = newQrId(QR_KEY, NOW, new Uint32Array(6));
const TOKEN = QR_ID.slice("qr_".length);

const LINK: LinkSnapshot = {
  id: "lnk_00000000000000000000000001",
  accountId: "acc_00000000000000000000000001",
  mode: "live",
  origin: "api",
  domain: "hop.example",
  slug: "spring",
  url: "https://example.com/",
  routing: [
    { if: { country: "AT" }, to: "https://example.com/at" },
    { if: { source: "qr" }, to: "https://example.com/qr" },
    { if: { query: { qr: true } }, to: "https://example.com/token-seen" },
    { if: { country: "DE" }, to: "https://example.com/de" },
  ],
  expiresAt: null,
  revision: 1,
  state: "active",
  qrKey: QR_KEY,
};

const REQUEST: VisitRequest = {
  method: "GET",
  headers: new Headers(),
  geography: { country: "FR" },
  search: "",
  defaultRedirect: null,
  now: NOW,
};

function found(changes: Partial<LinkSnapshot> = {}, account: "open" | "suspended" | "closed" = "open"): LinkLookup {
  return { kind: "found", link: { ...LINK, ...changes }, account };
}

/** The decision in short: for a click, the data that it is recorded with. */
function decided(request: Partial<VisitRequest>, lookup: LinkLookup): unknown {
  const decision = decideVisit({ ...REQUEST, ...request }, lookup);
  if (decision.kind !== "redirect") return decision;
  const { url, click } = decision;
  return [url.slice("https://example.com/".length), click && [click.rule, click.qr, click.visit.at]];
}

const FALLBACK = "https://example.com/fallback";
const GONE = { kind: "gone" };
const EXPIRED = { kind: "expired" };
const MISSING = { kind: "missing" };
const NOT_OPEN = { kind: "not_open" };
const NOT_ALLOWED = { kind: "method_not_allowed" };

describe("a visit to a link", () => {
  test.each<[string, Partial<VisitRequest>, LinkLookup, unknown]>([
    ["no rule matches", {}, found(), ["", [null, null, NOW]]],
    ["a rule matches", { geography: { country: "DE" } }, found(), ["de", ["3", null, NOW]]],
    [
      "the first rule wins",
      { geography: { country: "AT" }, search: `qr=${TOKEN}` },
      found(),
      ["at", ["0", QR_ID, NOW]],
    ],
    ["a scan", { search: `qr=${TOKEN}` }, found(), ["qr", ["1", QR_ID, NOW]]],
    ["a token of another link", { search: `qr=${"0".repeat(26)}` }, found(), ["token-seen", ["2", null, NOW]]],
    ["HEAD", { method: "HEAD", geography: { country: "DE" } }, found(), ["de", null]],
    ["the millisecond before it expires", {}, found({ expiresAt: NOW + 1 }), ["", [null, null, NOW]]],
    ["the instant at which it expires", {}, found({ expiresAt: NOW }), EXPIRED],
    ["it has expired, whatever its rules", { geography: { country: "DE" } }, found({ expiresAt: 1 }), EXPIRED],
    ["it has expired, with a fallback", {}, found({ expiresAt: NOW, fallbackUrl: FALLBACK }), ["fallback", null]],
    [
      "it has expired, on a domain with a default redirect",
      { defaultRedirect: "not_found" },
      found({ expiresAt: NOW }),
      { kind: "default_redirect", page: "expired" },
    ],
    [
      "it has expired, with a fallback and a default redirect",
      { defaultRedirect: "not_found" },
      found({ expiresAt: NOW, fallbackUrl: FALLBACK }),
      ["fallback", null],
    ],
    ["deleted after it has expired", { defaultRedirect: "not_found" }, found({ state: "deleted", expiresAt: 1 }), GONE],
    ["a scan of it", { search: `qr=${TOKEN}` }, found({ expiresAt: 1, fallbackUrl: FALLBACK }), ["fallback", null]],
    ["not expired, with a fallback", {}, found({ expiresAt: NOW + 1, fallbackUrl: FALLBACK }), ["", [null, null, NOW]]],
    ["the millisecond before it opens", {}, found({ startsAt: NOW + 1 }), NOT_OPEN],
    ["the instant at which it opens", {}, found({ startsAt: NOW }), ["", [null, null, NOW]]],
    [
      "it is not open yet, whatever its rules",
      { geography: { country: "DE" } },
      found({ startsAt: NOW + 1 }),
      NOT_OPEN,
    ],
    ["not open yet, with a fallback", {}, found({ startsAt: NOW + 1, fallbackUrl: FALLBACK }), ["fallback", null]],
    ["not open yet, HEAD", { method: "HEAD" }, found({ startsAt: NOW + 1, fallbackUrl: FALLBACK }), ["fallback", null]],
    [
      "not open yet, on a domain with a default redirect",
      { defaultRedirect: "not_found" },
      found({ startsAt: NOW + 1 }),
      { kind: "default_redirect", page: "not_open" },
    ],
    [
      "a start in the form of an earlier snapshot",
      {},
      found({ startsAt: null, fallbackUrl: null }),
      ["", [null, null, NOW]],
    ],
    ["disabled, with a fallback", {}, found({ state: "disabled", startsAt: NOW + 1, fallbackUrl: FALLBACK }), GONE],
    ["paused", { defaultRedirect: "not_found" }, found({ state: "restricted", paused: true }), { kind: "paused" }],
    [
      "paused, with a fallback",
      {},
      found({ state: "restricted", paused: true, fallbackUrl: FALLBACK }),
      ["fallback", null],
    ],
    ["paused and expired", {}, found({ state: "restricted", paused: true, expiresAt: 1 }), { kind: "paused" }],
    ["paused and disabled", {}, found({ state: "disabled", paused: true, fallbackUrl: FALLBACK }), GONE],
    ["paused, of a suspended account", {}, found({ state: "restricted", paused: true }, "suspended"), GONE],
    ["in a state of a later release", {}, found({ state: "later" as "active" }), GONE],
    ["deleted, with a fallback", {}, found({ state: "deleted", expiresAt: 1, fallbackUrl: FALLBACK }), GONE],
    ["suspended, with a fallback", {}, found({ expiresAt: 1, fallbackUrl: FALLBACK }, "suspended"), GONE],
    ["closed, with a fallback", {}, found({ startsAt: NOW + 1, fallbackUrl: FALLBACK }, "closed"), GONE],
    ["the query is not forwarded", { search: "a=1" }, found(), ["", [null, null, NOW]]],
    ["the query is forwarded", { search: "a=1" }, found({ forwardQuery: true }), ["?a=1", [null, null, NOW]]],
    [
      "to a rule's destination too",
      { search: "a=1&a=2", geography: { country: "DE" } },
      found({ forwardQuery: true }),
      ["de?a=1&a=2", ["3", null, NOW]],
    ],
    ["without its token", { search: `a=1&qr=${TOKEN}` }, found({ forwardQuery: true }), ["qr?a=1", ["1", QR_ID, NOW]]],
    ["HEAD forwards it", { search: "a=1", method: "HEAD" }, found({ forwardQuery: true }), ["?a=1", null]],
    [
      "not to the fallback",
      { search: "a=1" },
      found({ forwardQuery: true, expiresAt: 1, fallbackUrl: FALLBACK }),
      ["fallback", null],
    ],
    ["it is disabled", {}, found({ state: "disabled" }), GONE],
    ["it is deleted", { method: "HEAD" }, found({ state: "deleted" }), GONE],
    ["its account is suspended", {}, found({}, "suspended"), GONE],
    ["its account is closed", {}, found({}, "closed"), GONE],
    [
      "the domain has a default redirect, but the link exists",
      { defaultRedirect: "not_found" },
      found({ state: "disabled" }),
      GONE,
    ],
    ["POST", { method: "POST" }, found(), NOT_ALLOWED],
    ["a method in lower case", { method: "get" }, found(), NOT_ALLOWED],
  ])("%s", (_name, request, lookup, decision) => {
    expect(decided(request, lookup)).toEqual(decision);
  });

  test("a click has the visitor's place in splits, the query conditions that held, and the data that distinguishes visitors", () => {
    const clickOf = (request: Partial<VisitRequest>) => {
      const decision = decideVisit({ ...REQUEST, ...request }, found());
      const click = decision.kind === "redirect" ? decision.click : null;
      if (!click || typeof click.visitor === "number") throw new Error("no visitor");
      const { network, userAgentDigest } = click.visitor;
      return [click.visit.split, click.query, network, userAgentDigest];
    };
    expect(clickOf({})).toEqual([65_535, "", null, digestOf("")]);
    const headers = new Headers({ "cf-connecting-ip": "192.0.2.7", "user-agent": "curl" });
    const place = splitOf(LINK.id, "192.0.2.7", digestOf("curl"));
    expect(clickOf({ headers, geography: { country: "AT" }, search: "qr=1" })).toEqual([
      place,
      "1",
      "192.0.2.7",
      digestOf("curl"),
    ]);
  });

  test("a destination with the visitor's query is marked as unique to the visitor, one without is not", () => {
    const decide = (search: string) => decideVisit({ ...REQUEST, search }, found({ forwardQuery: true }));
    expect(decide("a=1")).toMatchObject({ hasVisitorQuery: true });
    for (const search of ["", "qr=1"]) expect(decide(search)).not.toHaveProperty("hasVisitorQuery");
    expect(decideVisit({ ...REQUEST, search: "a=1" }, found())).not.toHaveProperty("hasVisitorQuery");
  });

  test("a click keeps the facts that rules saw", () => {
    const headers = new Headers({ "Accept-Language": "de-CH", Referer: "https://www.news.example/1" });
    const decision = decideVisit({ ...REQUEST, headers }, found());
    expect(decision).toMatchObject({
      click: { visit: { at: NOW, class: "human", country: "FR", language: "de-CH", referrer: "news.example" } },
    });
  });
});

describe("an address without a link", () => {
  const cases: [string, Partial<VisitRequest>, LinkLookup, VisitDecision][] = [
    ["on the service's own domain", {}, { kind: "missing" }, { kind: "missing" }],
    [
      "the root of a custom domain",
      { defaultRedirect: "root" },
      { kind: "missing" },
      { kind: "default_redirect", page: "root" },
    ],
    [
      "below it",
      { defaultRedirect: "not_found" },
      { kind: "missing" },
      { kind: "default_redirect", page: "not_found" },
    ],
    ["POST", { method: "POST", defaultRedirect: "root" }, { kind: "missing" }, { kind: "method_not_allowed" }],
    [
      "too many looked up",
      { defaultRedirect: "root" },
      { kind: "limited", seconds: 7 },
      { kind: "rate_limited", seconds: 7 },
    ],
    ["no answer", { defaultRedirect: "not_found" }, { kind: "unavailable" }, { kind: "unavailable" }],
  ];
  test.each(cases)("%s", (_name, request, lookup, decision) => {
    expect(decideVisit({ ...REQUEST, ...request }, lookup)).toEqual(decision);
  });
});

describe("the fallback page", () => {
  const pages = {
    rootUrl: "https://example.com/root",
    notFoundUrl: "https://example.com/none",
    expiredUrl: "https://example.com/over",
  };
  const to = (url: string) => ({ kind: "redirect", url, click: null });

  test.each([
    ["root", pages, to(pages.rootUrl)],
    ["not_found", pages, to(pages.notFoundUrl)],
    ["expired", pages, to(pages.expiredUrl)],
    ["root", { ...pages, rootUrl: null }, MISSING],
    ["not_found", { ...pages, notFoundUrl: null }, MISSING],
    ["expired", { ...pages, expiredUrl: null }, EXPIRED],
    ["expired", null, { ...EXPIRED, isPlain: true }],
    ["root", null, { ...MISSING, isPlain: true }],
    ["not_open", null, { ...NOT_OPEN, isPlain: true }],
    ["not_open", { ...pages, notFoundUrl: null }, NOT_OPEN],
  ] as const)("%s of %j", (page, redirects, decision) => {
    expect(decideDefaultRedirect({ page }, { kind: "found", redirects })).toEqual(decision);
  });

  test("too many unknown domains were looked up", () => {
    expect(decideDefaultRedirect({ page: "root" }, { kind: "limited", seconds: 60 })).toEqual({
      kind: "rate_limited",
      seconds: 60,
    });
  });
});
