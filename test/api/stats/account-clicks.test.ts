/** The clicks of all links of an account, in order of time: those of each link's own log, complete or refused. */
import { env } from "cloudflare:workers";
import Papa from "papaparse";
import { afterEach, describe, expect, test, vi } from "vitest";

import type {
  AccountClicksAnswer,
  AccountClicksQuestion,
} from "../../../src/core/clicks/protocol/account-object-rpc.ts";
import {
  ACCOUNT_CLICK_COLUMNS,
  type AccountClick,
  AccountClickPage,
  type Click,
} from "../../../src/core/contract/clicks.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { feedName } from "../../../src/core/streams/event-log.ts";
import { ClickMix } from "../../bench/click-mix.ts";
import { errorOf, readResponse } from "../../support/api-response.ts";
import { fetchWith } from "../../support/changed-env.ts";
import {
  clicksPath,
  NDJSON,
  openExport,
  type Query,
  readUntilBroken,
  recordClicks,
  rowsIn,
  searchOf,
  textOf,
} from "../../support/recorded-clicks.ts";
import { premiumAccount, type TestAccount } from "../../support/test-accounts.ts";

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => vi.restoreAllMocks());

const CSV = { Accept: "text/csv" };
const START = Date.parse("2026-03-01T00:00:00Z");

const pathOf = (query: Query = {}) => `/v1/clicks?${searchOf(query)}`;
const placeOf = ({ occurred_at, link_id, seq }: AccountClick) => `${occurred_at},${link_id},${seq}`;

async function rowsOf(by: TestAccount, query: Query = {}): Promise<AccountClick[]> {
  const response = await openExport(by, pathOf(query), NDJSON);
  const text = await textOf(response);
  expect(response.status, text).toBe(200);
  return rowsIn<AccountClick>(text);
}

async function pagesOf(by: TestAccount, query: Query = {}): Promise<AccountClick[]> {
  const clicks: AccountClick[] = [];
  for (let after: Query = {}; ;) {
    const reply = await by.call("GET", pathOf({ ...query, ...after }));
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    const page = AccountClickPage.parse(reply.body);
    clicks.push(...page.data);
    if (!page.has_more) return clicks;
    after = { after: page.next_after ?? "" };
  }
}

/** An account whose links have clicks at the same times, except one without clicks. */
async function clickedAccount(clicks = 40): Promise<{ by: TestAccount; links: Link[] }> {
  const by = await premiumAccount();
  const links = [
    await by.createLink({ tags: ["Spring", "print"] }),
    await by.createLink({ url: "https://example.com/a,b" }),
    await by.createLink({ tags: ["spring"] }),
    await by.createLink(),
  ];
  const mix = new ClickMix();
  for (const link of links.slice(0, 3)) {
    const batch = mix.batch(START, clicks).map((click, i) => ({ ...click, at: START + Math.floor(i / 3) * 1_000 }));
    await recordClicks(link, batch);
  }
  return { by, links };
}

/** The clicks in the logs of the links, in order of time. */
async function clicksOfLinks(by: TestAccount, links: readonly Link[]): Promise<AccountClick[]> {
  const all: AccountClick[] = [];
  for (const { id, domain, ...link } of links) {
    const rows = rowsIn<Click>(await textOf(await openExport(by, clicksPath({ id, domain, ...link }), NDJSON)));
    all.push(...rows.map((click) => ({ link_id: id, domain, ...click })));
  }
  const keyOf = ({ occurred_at, link_id, seq }: AccountClick) =>
    `${occurred_at} ${link_id} ${String(seq).padStart(9, "0")}`;
  return all.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

describe("14 the clicks of an account", () => {
  test("14 are those of its links, in chronological order, as pages and as files", async () => {
    const { by, links } = await clickedAccount();
    const expected = await clicksOfLinks(by, links);
    expect(expected).toHaveLength(120);
    expect(await rowsOf(by)).toEqual(expected);
    expect(await pagesOf(by, { limit: 7 })).toEqual(expected);
    const table = await textOf(await openExport(by, pathOf(), CSV));
    const { data } = Papa.parse<Record<string, string>>(table.trimEnd(), { header: true, newline: "\r\n" });
    expect(Object.keys(data[0] ?? {})).toEqual(ACCOUNT_CLICK_COLUMNS);
    expect(data.map(({ link_id, seq, destination }) => [link_id, seq, destination])).toEqual(
      expected.map(({ link_id, seq, destination }) => [link_id, String(seq), destination]),
    );
  });

  test("14 continue after any of them", async () => {
    const { by, links } = await clickedAccount(8);
    const expected = await clicksOfLinks(by, links);
    for (const [i, click] of expected.entries()) {
      expect(await rowsOf(by, { after: placeOf(click) })).toEqual(expected.slice(i + 1));
      expect(await rowsOf(by, { after: placeOf(click), limit: 2 })).toEqual(expected.slice(i + 1, i + 3));
    }
    const reply = await by.call("GET", pathOf({ after: placeOf(expected.at(-1) as AccountClick) }));
    expect(reply.body).toMatchObject({
      data: [],
      has_more: false,
      next_after: placeOf(expected.at(-1) as AccountClick),
    });
  });

  test("14 are limited by a range and by filters, including link, tag and domain", async () => {
    const { by, links } = await clickedAccount();
    const all = await clicksOfLinks(by, links);
    const [one, other, third] = links;
    const devices = (click: AccountClick) => click.device === "mobile" || click.device === "tablet";
    const range = { from: "2026-03-01T00:00:02Z", to: "2026-03-01T00:00:09Z" };
    const inRange = ({ occurred_at }: AccountClick) =>
      occurred_at >= "2026-03-01T00:00:02.000Z" && occurred_at < "2026-03-01T00:00:09.000Z";
    const cases: [Query, (click: AccountClick) => boolean][] = [
      [range, inRange],
      [{ device: "mobile,tablet" }, devices],
      [{ ...range, device: "mobile,tablet" }, (click) => inRange(click) && devices(click)],
      [{ link_id: `${one?.id},${third?.id}` }, ({ link_id }) => link_id === one?.id || link_id === third?.id],
      [{ tag: "SPRING" }, ({ link_id }) => link_id === one?.id || link_id === third?.id],
      [{ tag: "print", device: "mobile,tablet" }, (click) => click.link_id === one?.id && devices(click)],
      [{ tag: "none" }, ({ link_id }) => link_id === other?.id],
      [{ domain: one?.domain ?? "" }, () => true],
      [{ domain: "elsewhere.example" }, () => false],
      [{ destination: String.raw`https://example.com/a\,b` }, ({ link_id }) => link_id === other?.id],
    ];
    for (const [query, matches] of cases) {
      const expected = all.filter(matches);
      expect(await rowsOf(by, query), JSON.stringify(query)).toEqual(expected);
      expect(await pagesOf(by, { ...query, limit: 11 })).toEqual(expected);
    }
  });

  test("14 remain when their link is deleted, and never include those of another account or mode", async () => {
    const { by, links } = await clickedAccount(6);
    const expected = await clicksOfLinks(by, links);
    await by.call("DELETE", `/v1/links/${links[0]?.id}`);
    expect(await rowsOf(by)).toEqual(expected);
    const eve = await premiumAccount();
    expect(await rowsOf(eve)).toEqual([]);
    expect(await rowsOf(eve, { link_id: links[0]?.id ?? "", after: placeOf(expected[0] as AccountClick) })).toEqual([]);
    expect(await rowsOf(await by.withKey("test"))).toEqual([]);
  });

  test("14 of an erased link are gone, and the others continue after one of them", async () => {
    const { by, links } = await clickedAccount(10);
    const expected = await clicksOfLinks(by, links);
    expect(await rowsOf(by)).toEqual(expected);
    const erased = links[1]?.id ?? "";
    const account = env.ACCOUNT_CLICKS.getByName(feedName(by.accountId, "live"));
    await vi.waitUntil(async () => (await account.eraseLink({ linkId: erased })).kind === "erased", {
      timeout: 20_000,
    });
    const kept = expected.filter(({ link_id }) => link_id !== erased);
    expect(await rowsOf(by)).toEqual(kept);
    const last = expected.findIndex(({ link_id, seq }) => link_id === erased && seq === 5);
    const rest = expected.slice(last + 1).filter(({ link_id }) => link_id !== erased);
    expect(await rowsOf(by, { after: placeOf(expected[last] as AccountClick) })).toEqual(rest);
  });

  test("14 are complete even for the first requests, or answered with 503", async () => {
    const { by, links } = await clickedAccount(300);
    const expected = await clicksOfLinks(by, links);
    const first = await Promise.all([1, 2, 3, 4].map(() => openExport(by, pathOf(), NDJSON)));
    for (const response of first) {
      if (response.status === 200) expect(rowsIn<AccountClick>(await textOf(response))).toEqual(expected);
      else expect(errorOf(await readResponse(response))).toMatchObject({ status: 503, code: "unavailable" });
    }
    expect(await rowsOf(by)).toEqual(expected);
  });

  test("14 an account without links has a header, and no position to continue from", async () => {
    const by = await premiumAccount();
    const page = AccountClickPage.parse((await by.call("GET", pathOf())).body);
    expect(page).toMatchObject({ data: [], has_more: false, next_after: null });
    expect(Date.now() - Date.parse(page.as_of)).toBeLessThan(60_000);
    const file = await openExport(by, pathOf(), CSV);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="clicks.csv"',
      "cache-control": "no-store",
      "hoplink-as-of": expect.stringMatching(/^20/),
      vary: "Accept",
    });
    expect(await textOf(file)).toBe(`${ACCOUNT_CLICK_COLUMNS.join(",")}\r\n`);
    const head = await by.call("HEAD", pathOf(), undefined, CSV);
    expect([head.status, head.body]).toEqual([200, ""]);
  });
});

describe("14 refused requests for clicks of an account", () => {
  test.for<[what: string, query: Query, param: string]>([
    ["an invalid position", { after: "12" }, "after"],
    ["a position without a number", { after: "2026-03-01T00:00:00.000Z,lnk_a," }, "after"],
    ["a position with an invalid time", { after: "2026-13-01T00:00:00.000Z,lnk_a,1" }, "after"],
    ["a position with an additional part", { after: "2026-03-01T00:00:00.000Z,lnk_a,1,2" }, "after"],
    ["a number of 0", { limit: 0 }, "limit"],
    ["a number above the maximum", { limit: 10_000_001 }, "limit"],
    ["a reversed range", { from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" }, "from"],
    ["an empty key", { link_id: "a,,b" }, "link_id"],
    ["101 keys", { tag: Array(101).fill("x").join(",") }, "tag"],
    ["two long filters", { tag: "x".repeat(9_000), domain: "y".repeat(9_000) }, "domain"],
    ["an unknown parameter", { link: "lnk_x" }, "link"],
  ])("14 %s answers 422 and names the parameter", async ([, query, param]) => {
    const by = await premiumAccount();
    for (const accept of [CSV, NDJSON, {}]) {
      const reply = await by.call("GET", pathOf(query), undefined, accept);
      expect(errorOf(reply)).toMatchObject({ status: 422, code: "validation_failed", param });
    }
  });

  /** The Worker with an account's object that `answer` can replace for each call. */
  function fetchFrom(
    by: TestAccount,
    answer: (call: number, ask: () => Promise<AccountClicksAnswer>) => Promise<unknown>,
    accept: Record<string, string> = NDJSON,
    query: Query = {},
  ): Promise<Response> {
    let calls = 0;
    const object = {
      clicks: (question: AccountClicksQuestion) => {
        const real = env.ACCOUNT_CLICKS.getByName(feedName(by.accountId, "live"));
        return answer(++calls, async () => real.clicks(question));
      },
    };
    const ACCOUNT_CLICKS = { getByName: () => object } as unknown as Env["ACCOUNT_CLICKS"];
    return fetchWith({ ACCOUNT_CLICKS }, pathOf(query), { headers: { Authorization: `Bearer ${by.key}`, ...accept } });
  }

  test("14 while past clicks are read, or links cannot be read, it is a 503 with the progress", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { by } = await clickedAccount(3);
    for (const accept of [CSV, NDJSON, {}]) {
      const filling = await fetchFrom(by, async () => ({ kind: "incomplete", asOf: 0, progress: 0.409 }), accept);
      expect(filling.headers.get("Retry-After")).toBe("5");
      expect(errorOf(await readResponse(filling))).toMatchObject({
        status: 503,
        code: "unavailable",
        message: "The clicks of the account are being read (40 % so far). Try again until all are read.",
      });
      const stale = await readResponse(await fetchFrom(by, async () => ({ kind: "incomplete", asOf: START }), accept));
      expect(errorOf(stale).message).toMatch(/available until 2026-03-01T00:00:00.000Z/);
      for (const [kind, status, code] of [
        ["busy", 429, "too_many_reads"],
        ["unavailable", 503, "unavailable"],
      ] as const) {
        const reply = await readResponse(await fetchFrom(by, async () => ({ kind }), accept));
        expect(errorOf(reply)).toMatchObject({ status, code });
      }
    }
  });

  /** An account with several pages of clicks. */
  async function longAccount(): Promise<{ by: TestAccount; expected: AccountClick[] }> {
    const by = await premiumAccount();
    const links = [1, 2].map((n) => by.createLink({ url: `https://example.com/${n}/${"d".repeat(7_000)}` }));
    const mix = new ClickMix();
    for (const link of await Promise.all(links)) await recordClicks(link, mix.batch(START, 250));
    return { by, expected: await clicksOfLinks(by, await Promise.all(links)) };
  }

  test("14 a failed page is requested again; erased clicks break the connection, and it resumes after the last row", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const { by, expected } = await longAccount();
    const lost = () => Promise.reject(new Error("Network connection lost."));
    const whole = await fetchFrom(by, (call, ask) => (call % 2 === 1 ? lost() : ask()));
    expect(rowsIn<AccountClick>(await textOf(whole))).toEqual(expected);

    const incomplete = { kind: "incomplete", asOf: START, progress: 0.9 };
    const cut = await fetchFrom(by, async (call, ask) => (call > 2 ? incomplete : ask()));
    const { text, error } = await readUntilBroken(cut);
    expect(error).toMatch(/erased/);
    const rows = rowsIn<AccountClick>(text);
    expect(rows).toEqual(expected.slice(0, rows.length));
    expect(rows.length).toBeGreaterThan(100);
    expect(await rowsOf(by, { after: placeOf(rows.at(-1) as AccountClick) })).toEqual(expected.slice(rows.length));
  });

  test("14 nothing is read ahead of the client; limit counts rows over all pages; few exports run simultaneously", async () => {
    const { by, expected } = await longAccount();
    let asked = 0;
    const count = (_: number, ask: () => Promise<AccountClicksAnswer>) => {
      asked++;
      return ask();
    };
    const reader = (await fetchFrom(by, count)).body?.getReader();
    await reader?.read();
    expect(asked).toBe(1);
    await reader?.read();
    expect(asked).toBe(2);
    await reader?.cancel();
    expect(await rowsOf(by, { limit: 333 })).toEqual(expected.slice(0, 333));
    const open = await Promise.all([1, 2, 3, 4].map(() => fetchFrom(by, count)));
    const refused = await readResponse(await fetchFrom(by, count));
    expect(errorOf(refused)).toMatchObject({ status: 429, code: "too_many_exports" });
    for (const response of open) await response.body?.cancel();
    expect((await rowsOf(by)).length).toBe(500);
  });
});
