/** What an import does with each link before it sends a request. */
import { describe, expect, test } from "vitest";

import type { Link } from "../../../src/core/contract/links.ts";
import { ClickStore } from "../../../src/core/imports/read-history.ts";
import {
  compareLink,
  type ImportAccount,
  type ImportOptions,
  resolveLinks,
  type ImportedLink,
  withAliasesOf,
} from "../../../src/core/imports/plan-import.ts";
import { runImport } from "../../../src/core/imports/run-import.ts";
import { retryDelayMs } from "../../../src/core/retries.ts";
import type { ReadLink } from "../../../src/core/imports/source-link.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const URL = "https://example.com/";

const account: ImportAccount = {
  plan: "premium",
  defaultDomain: "hop.example",
  domains: new Map([
    ["go.example.com", "active"],
    ["wait.example.com", "pending"],
  ]),
  caseSensitive: new Set(),
};

const options: ImportOptions = {
  domain: null,
  domains: new Map(),
  withoutRules: false,
  withoutPasswords: false,
  forwardQuery: false,
  update: false,
};

const link = (fields: Partial<ReadLink> = {}): ReadLink => ({
  at: 2,
  domain: null,
  slug: "spring",
  aliases: [],
  hasPassword: false,
  content: { url: URL },
  ...fields,
});

function resolve(links: ReadLink[], more: Partial<ImportOptions> = {}, of: Partial<ImportAccount> = {}) {
  return resolveLinks(links, "line", { ...options, ...more }, { ...account, ...of });
}

const HERE = { id: "lnk_1", domain: "hop.example", slug: "spring", url: URL };

const reasons = (...args: Parameters<typeof resolve>) => resolve(...args).refused.map(({ reason }) => reason);
const domains = (...args: Parameters<typeof resolve>) => resolve(...args).wanted.map(({ body }) => body.domain);

describe("a link with several addresses", () => {
  const both = link({ domain: "bit.ly", slug: "x1", aliases: [{ domain: "go.example.com", slug: "sale" }] });

  test("has the others as aliases", () => {
    const { wanted, refused } = resolve([both], { domains: new Map([["bit.ly", "hop.example"]]) });
    expect(refused).toEqual([]);
    expect(wanted.map(({ body }) => body)).toEqual([
      { url: URL, domain: "hop.example", slug: "x1", aliases: [{ domain: "go.example.com", slug: "sale" }] },
    ]);
  });

  test("keeps those on the account's domains; the rest are refused one by one", () => {
    const { wanted, refused } = resolve([both]);
    expect(wanted.map(({ body }) => body)).toEqual([{ url: URL, domain: "go.example.com", slug: "sale" }]);
    expect(refused).toMatchObject([{ address: "bit.ly/x1", reason: "bit.ly is not one of your domains." }]);
  });

  test("has none twice, if its domains are mapped to one", () => {
    const same = link({ domain: "bit.ly", aliases: [{ domain: "go.example.com", slug: "SPRING" }] });
    expect(
      resolve([same], { domain: "hop.example", domains: new Map([["go.example.com", "hop.example"]]) }),
    ).toMatchObject({
      wanted: [{ body: { domain: "hop.example", slug: "spring" } }],
      refused: [],
    });
  });

  test("is unchanged while it has them, and an update removes none", () => {
    const [wanted] = resolve([both], { domains: new Map([["bit.ly", "hop.example"]]) }).wanted;
    if (!wanted) throw new Error("no link");
    const sale = { domain: "go.example.com", slug: "sale", short_url: "https://go.example.com/sale" };
    const own = { domain: "hop.example", slug: "own", short_url: "https://hop.example/own" };
    const there = (aliases: Link["aliases"]) => ({ ...HERE, slug: "x1", aliases }) as Link;
    const compare = (aliases: Link["aliases"], of = account) => compareLink(wanted, there(aliases), NOW, of);
    expect(compare([own, sale])).toEqual({ action: "unchanged" });
    expect(compare([own])).toEqual({ action: "differs", id: "lnk_1", members: ["aliases"] });
    expect(withAliasesOf(there([own]), wanted.body, account).aliases).toEqual([
      { domain: "hop.example", slug: "own" },
      { domain: "go.example.com", slug: "sale" },
    ]);
    // The same alias, unless its domain distinguishes cases: a request with both forms would be refused.
    const capital = { ...sale, slug: "Sale" };
    expect(compare([capital])).toEqual({ action: "unchanged" });
    expect(withAliasesOf(there([capital]), wanted.body, account).aliases).toEqual([
      { domain: "go.example.com", slug: "Sale" },
    ]);
    const strict = { ...account, caseSensitive: new Set(["go.example.com"]) };
    expect(compare([capital], strict)).toMatchObject({ action: "differs" });
    expect(withAliasesOf(there([capital]), wanted.body, strict).aliases).toHaveLength(2);
  });
});

describe("the domain of a link", () => {
  test("is its own if that is the account's, mapped or chosen otherwise, and the default without one", () => {
    const old = [link({ domain: "go.example.com" }), link({ slug: "b", domain: "old.example" }), link({ slug: "c" })];
    expect(domains(old, { domains: new Map([["old.example", "go.example.com"]]) })).toEqual([
      "go.example.com",
      "go.example.com",
      "hop.example",
    ]);
    expect(domains(old, { domain: "go.example.com" })).toEqual(Array(3).fill("go.example.com"));
  });

  test("is refused if it is not the account's, or not active", () => {
    expect(reasons([link({ domain: "bit.ly" })])).toEqual(["bit.ly is not one of your domains."]);
    expect(reasons([link()], { domain: "other.example" })).toEqual(["other.example is not one of your domains."]);
    expect(reasons([link()], { domain: "wait.example.com" })).toEqual(["wait.example.com is pending."]);
  });
});

test.each(["", "a b", "a//b", "сосо", "-a", "x".repeat(129), "api", "__proto__"])("the slug %j is refused", (slug) => {
  const { wanted, refused } = resolve([link({ slug })]);
  expect(wanted).toEqual([]);
  expect(refused).toEqual([
    { at: 2, address: expect.any(String), reason: expect.any(String), advice: expect.any(String) },
  ]);
});

test.each([
  ["an app's destination", { url: "myapp://open" }, /^Url /],
  ["no destination", { url: "" }, /^Url /],
  ["a destination of the account", { url: "https://go.example.com/x" }, /own short domains/],
  ["an expiry that is not a time", { url: URL, expires_at: "next week" }, /^Expires_at /],
  [
    "a start after the end",
    { url: URL, starts_at: "2098-01-01T00:00:00Z", expires_at: "2097-01-01T00:00:00Z" },
    /^Starts_at /,
  ],
  ["an invalid country", { url: URL, routing: [{ if: { country: "QQ" }, to: URL }] }, /country/],
  [
    "a rule that never fires",
    {
      url: URL,
      routing: [
        { if: { os: "ios" as const }, to: URL },
        { if: { os: "ios" as const }, to: URL },
      ],
    },
    /never match/,
  ],
])("%s is refused as by the API", (_name, content, reason) => {
  expect(reasons([link({ content })])).toEqual([expect.stringMatching(reason)]);
});

describe("conflicting addresses", () => {
  const upper = link({ at: 3, slug: "SPRING", content: { url: "https://example.com/other" } });

  test("that differ only in case: the second is refused with both slugs, or served by the first", () => {
    expect(reasons([link(), upper])).toEqual([
      expect.stringContaining("differs from that of line 2 (spring) only in upper and lower case"),
    ]);
    const [sale, other] = [link({ slug: "Größe/🎉" }), link({ at: 3, slug: "GRÖSSE/🎉" })];
    expect(resolve([sale, other])).toMatchObject({ wanted: [{ at: 2 }], refused: [], repeated: 1 });
    const same = resolve([link(), link({ at: 3, slug: "SPRING" })]);
    expect([same.wanted.length, same.refused, same.repeated]).toEqual([1, [], 1]);
  });

  test("that differ only in case, on a custom domain: reported, since it could distinguish them; then both are created", () => {
    const on = { domain: "go.example.com" };
    const apart = { caseSensitive: new Set(["go.example.com"]) };
    const links = [link(), upper];
    expect(resolve(links).caseCollisions).toEqual([]);
    expect(resolve(links).refused[0]?.advice).toContain("to one of your own domains with case-sensitive slugs");
    expect(resolve(links, on).caseCollisions).toEqual(["go.example.com"]);
    expect(resolve(links, on).refused[0]?.advice).toContain("Make slugs case-sensitive on it before you create");
    const both = resolve(links, on, apart);
    expect(both.wanted.map(({ key }) => key)).toEqual(["go.example.com/spring", "go.example.com/SPRING"]);
    expect([both.refused, both.caseCollisions]).toEqual([[], []]);
    const whole = resolve([link(), { ...upper, slug: "spring" }], on, apart);
    expect([whole.refused.length, whole.caseCollisions]).toEqual([1, []]);
    // Two links are not merged because their destinations are equal.
    expect(resolve([link(), link({ at: 3, slug: "SPRING" })], on, apart).wanted).toHaveLength(2);
  });

  test("that are equal: the second is refused, unless it is the same link", () => {
    expect(reasons([link(), { ...upper, slug: "spring" }])).toEqual([
      expect.stringContaining("is the same as in line 2"),
    ]);
  });
});

test("rules need Premium; the link can be imported without them", () => {
  const withRule = link({ content: { url: URL, routing: [{ if: { os: "ios" }, to: URL }] } });
  expect(reasons([withRule], {}, { plan: "free" })).toEqual([expect.stringContaining("Premium plan")]);
  expect(resolve([withRule], { withoutRules: true }, { plan: "free" }).wanted[0]?.body).toEqual({
    slug: "spring",
    domain: "hop.example",
    url: URL,
  });
});

test("17 a link with a password keeps it, or is imported paused if it is not known, unless it is to be open", () => {
  const locked = link({ hasPassword: true });
  expect(resolve([locked]).wanted).toMatchObject([{ needsPassword: true, body: { paused: true } }]);
  const known = link({ hasPassword: true, content: { url: URL, password: "hunter2" } });
  const [kept] = resolve([known]).wanted;
  expect(kept).toMatchObject({ needsPassword: false, body: { password: "hunter2" } });
  expect(kept?.body).not.toHaveProperty("paused");
  for (const each of [locked, known]) {
    const [open] = resolve([each], { withoutPasswords: true }).wanted;
    expect(open).toMatchObject({ needsPassword: false, body: { slug: "spring", domain: "hop.example", url: URL } });
    expect(Object.keys(open?.body ?? {})).toHaveLength(3);
  }
});

test("clicks of a link that a file has several times count once", () => {
  const other = link({ slug: "Spring", clicks: 4 });
  const { wanted, repeated } = resolve([link({ clicks: 3 }), other, link({ clicks: 5 }), link({ clicks: 3 }), other]);
  expect([wanted.map(({ clicks }) => clicks), repeated]).toEqual([[9], 4]);
});

test("clicks of links that become one are added", () => {
  const { wanted, repeated } = resolve([link({ clicks: 3 }), link({ at: 3, slug: "Spring", clicks: 4 })]);
  expect([wanted.map(({ clicks }) => clicks), repeated]).toEqual([[7], 1]);
});

test("query parameters are forwarded if requested", () => {
  expect(resolve([link()], { forwardQuery: true }).wanted[0]?.body.forward_query).toBe(true);
});

describe("an existing link", () => {
  const wanted = (content: ReadLink["content"]): ImportedLink => {
    const [first] = resolve([link({ content })]).wanted;
    if (!first) throw new Error("refused");
    return first;
  };
  const existing: Link = {
    id: "lnk_1",
    slug: "Spring",
    domain: "hop.example",
    short_url: "https://hop.example/Spring",
    url: URL,
    routing: [{ if: { os: "ios" }, to: URL }],
    expires_at: "2099-01-01T00:00:00.000Z",
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    title: "Spring",
  };

  test("is unchanged if everything that the file contains is equal", () => {
    const told = { url: URL, expires_at: "2099-01-01T01:00:00+01:00", title: "Spring" };
    expect(compareLink(wanted(told), existing, NOW, account).action).toBe("unchanged");
    expect(compareLink(wanted({ url: URL }), existing, NOW, account).action).toBe("unchanged");
  });

  test("that has a password is unchanged whatever the file's is, and is not paused", () => {
    const told = wanted({ url: URL, password: "hunter2" });
    expect(compareLink(told, { ...existing, password_protected: true }, NOW, account).action).toBe("unchanged");
    expect(compareLink(told, existing, NOW, account)).toMatchObject({ members: ["password"] });
    const paused = { ...told, body: { url: URL, slug: "spring", domain: "hop.example", paused: true } };
    expect(compareLink(paused, { ...existing, password_protected: true }, NOW, account).action).toBe("unchanged");
    expect(compareLink(paused, existing, NOW, account)).toMatchObject({ members: ["paused"] });
  });

  test("differs by the members with other values", () => {
    const told = { url: "https://example.com/x", tags: ["a"], title: "Spring" };
    expect(compareLink(wanted(told), existing, NOW, account)).toMatchObject({
      action: "differs",
      id: "lnk_1",
      members: ["url", "tags"],
    });
  });

  test("may have expired; one that is missing and has expired is not created", () => {
    const expired = { url: URL, expires_at: "2026-11-22T10:00:00Z" };
    expect(
      compareLink(wanted(expired), { ...existing, expires_at: "2026-11-22T10:00:00.000Z" }, NOW, account).action,
    ).toBe("unchanged");
    expect(compareLink(wanted(expired), undefined, NOW, account)).toMatchObject({
      action: "refuse",
      refusal: { reason: "The link expired on 2026-11-22." },
    });
    expect(compareLink(wanted(expired), undefined, NOW - 1, account).action).toBe("create");
  });
});

test.each([
  // Few links and a large account: each address is looked up. Otherwise, all links are read.
  ["looked up", 5_000],
  ["read", 2],
])("an address that another link of the account has is refused as such, whether links are %s", async (_name, used) => {
  const alias = { domain: "go.example.com", slug: "Sale", short_url: "https://go.example.com/Sale" };
  const stored = { ...HERE, slug: "x1", routing: [], short_url: "https://hop.example/x1", aliases: [alias] } as never;
  const has = ({ domain, slug }: Record<string, string>) =>
    slug === undefined
      ? domain === undefined || domain === "hop.example"
      : `${domain}/${slug.toLowerCase()}` === "go.example.com/sale";
  const links = [
    link({ at: 2, domain: "go.example.com", slug: "sale" }),
    link({ at: 3, slug: "new", aliases: [{ domain: "go.example.com", slug: "sale" }] }),
    link({ at: 4, domain: "go.example.com", slug: "theirs" }),
  ];
  const report = await runImport(
    { links, unit: "line", refused: [] },
    {
      api: {
        me: () => Promise.resolve({ limits: { links: { used, max: 9 } } } as never),
        listLinks: (query) =>
          Promise.resolve({ data: has(query) ? [stored] : [], has_more: false, next_cursor: null } as never),
        createLinks: (bodies) =>
          Promise.resolve({
            results: bodies.map(({ aliases }) => ({
              error: { code: "slug_taken", message: "is taken", param: aliases ? "aliases.0" : "slug" },
            })),
          } as never),
        updateLinks: () => Promise.reject(new Error("nothing differs")),
        handOver: () => Promise.reject(new Error("not chosen")),
        putHistory: () => Promise.reject(new Error("there is no history")),
      },
      account,
      options: { ...options, update: true },
      isDryRun: false,
      now: NOW,
      signal: new AbortController().signal,
      onProgress: () => {},
    },
  );
  const ours = "The address go.example.com/sale already belongs to your link https://hop.example/x1.";
  expect([report.stopped, report.notSent, report.refused.map(({ at, reason }) => [at, reason])]).toEqual([
    null,
    0,
    [
      [2, ours],
      [3, ours],
      [4, "The slug theirs is taken on go.example.com by another account or by a deleted link."],
    ],
  ]);
});

test("requests are retried after 429, 5xx and no response, after the server's Retry-After, a limited number of times", () => {
  const failed = (status: number, retryAfter?: number) => ({ status, retryAfter });
  expect(retryDelayMs(failed(429, 7), 1, 0)).toBe(7_000);
  expect(retryDelayMs(failed(429, 60), 1, 0)).toBe(60_000);
  expect(retryDelayMs(failed(429, 61), 1, 0)).toBeNull();
  expect(retryDelayMs(failed(503, 9_999), 1, 0)).toBe(60_000);
  expect(retryDelayMs(failed(0), 1, 0)).toBe(500);
  expect(retryDelayMs(failed(500), 1, 0)).toBe(500);
  expect(retryDelayMs(failed(503), 4, 0)).toBe(4_000);
  expect(retryDelayMs(failed(503), 8, 0)).toBeNull();
  expect(retryDelayMs(failed(429), 59, 0)).toBe(30_000);
  expect(retryDelayMs(failed(429), 60, 0)).toBeNull();
  for (const status of [400, 401, 403, 404, 413, 422]) expect(retryDelayMs(failed(status), 1, 0)).toBeNull();
});

describe("the option to hand links over to the API", () => {
  /** The ids that are handed over, one list for each request. `a` exists already, `b` differs, `c` is new. */
  async function handedOver(more: Partial<ImportOptions>, isDryRun = false): Promise<(readonly string[])[]> {
    const requests: (readonly string[])[] = [];
    const stored = (id: string, fields: Partial<Link>) =>
      ({ id, domain: "hop.example", slug: id, url: URL, routing: [], expires_at: null, ...fields }) as Link;
    const page = { data: [stored("a", {}), stored("b", { url: `${URL}b` })], has_more: false, next_cursor: null };
    const results = (links: readonly object[]) =>
      Promise.resolve({ results: links.map((one) => ({ link: stored("c", one) })) });
    const report = await runImport(
      { links: ["a", "b", "c"].map((slug, at) => link({ slug, at })), unit: "line", refused: [] },
      {
        api: {
          me: () => Promise.resolve({ limits: { links: { used: 2, max: 9 } } } as never),
          listLinks: () => Promise.resolve(page),
          createLinks: results,
          updateLinks: results,
          handOver: (ids) => {
            requests.push(ids);
            return Promise.resolve({ results: [] });
          },
          putHistory: () => Promise.reject(new Error("there is no history")),
        },
        account,
        options: { ...options, ...more },
        isDryRun,
        now: NOW,
        signal: new AbortController().signal,
        onProgress: () => {},
      },
    );
    expect(report.stopped).toBe(null);
    return requests;
  }

  test("hands over created, updated and unchanged links, so that an interrupted run can be repeated", async () => {
    expect(await handedOver({})).toEqual([]);
    expect(await handedOver({ handOver: true }, true)).toEqual([]);
    expect(await handedOver({ handOver: true })).toEqual([["a"], ["c"]]);
    expect(await handedOver({ handOver: true, update: true })).toEqual([["a"], ["c"], ["b"]]);
  });
});

test.each([
  [
    "before others are created, because visitors may come",
    100_000,
    ["create 100", "history a-0", "create 1", "history a-100"],
  ],
  [
    "after all are created, if the day's limit allows only these",
    310,
    ["create 100", "create 1", "history a-0", "history a-100"],
  ],
])("17 links get their history %s", async (_name, max, requests) => {
  const made: string[] = [];
  const links = Array.from({ length: 101 }, (_, i) => link({ slug: `a-${i}`, at: i, clicks: i % 100 === 0 ? 5 : 0 }));
  const clicks = new ClickStore(() => Promise.reject(new Error("all fit into memory")));
  for (const number of [0, 100]) await clicks.add(`hop.example/a-${number}`, '{"at":"2024-05-01T10:00:00.000Z"}');
  const report = await runImport(
    { links, unit: "line", refused: [] },
    {
      api: {
        me: () => Promise.resolve({ limits: { links: { used: 0 }, bulk_links_per_day: { max, used: 0 } } } as never),
        listLinks: () => Promise.resolve({ data: [], has_more: false, next_cursor: null }),
        createLinks: (bodies) => {
          made.push(`create ${bodies.length}`);
          return Promise.resolve({ results: bodies.map(({ slug }) => ({ link: { id: slug } as Link })) });
        },
        updateLinks: () => Promise.reject(new Error("nothing differs")),
        handOver: () => Promise.reject(new Error("not chosen")),
        putHistory: (_id, linkId) => {
          made.push(`history ${linkId}`);
          return Promise.resolve({ clicks: 1 });
        },
      },
      account,
      options,
      isDryRun: false,
      now: NOW,
      history: { id: "imp_1", source: "shlink", clicks, until: "", total: 2_000, unmatched: 0, unreadable: 0 },
      signal: new AbortController().signal,
      onProgress: () => {},
    },
  );
  expect([made, report.stopped, report.history?.links]).toEqual([requests, null, 2]);
});
