/** Decision 15, GET /v1/qr: codes of the account or of a link, newest first. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import type { CreatedKey } from "../../../src/core/contract/dashboard.ts";
import { type QrCode, QrCodePage } from "../../../src/core/contract/qr-codes.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import type { Caller } from "../../../src/store/accounts/api-keys.ts";
import { listQrCodes } from "../../../src/store/qr-codes.ts";
import { errorOf } from "../../support/api-response.ts";
import { signedUp } from "../../support/browser-session.ts";
import { LINK_NOT_FOUND, validationFailed } from "../../support/expected-errors.ts";
import { withRowCount } from "../../support/rows-read.ts";
import { type TestAccount, freeAccount, premiumAccount, send, visit } from "../../support/test-accounts.ts";

const EMPTY = { data: [], has_more: false, next_cursor: null };

const CALLER = { mode: "live", plan: "premium", scopes: [], origin: "api", rateKey: "" } as const;

async function list(actor: TestAccount, query: Record<string, string> = {}): Promise<QrCodePage> {
  const reply = await actor.call("GET", `/v1/qr?${new URLSearchParams(query)}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return QrCodePage.parse(reply.body);
}

/** In order of creation, which ids of one millisecond do not follow. */
async function makeCodes(actor: TestAccount, link: Link, count: number): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for (let i = 0; i < count; i++) codes.push(await actor.createQrCode(link, { size: 64, format: "svg" }));
  return codes;
}

const byNewest = (one: QrCode, other: QrCode) => (one.id < other.id ? 1 : -1);

describe("15 GET /v1/qr", () => {
  test("without codes returns an empty page, for the account and for a link", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    expect([await list(ann), await list(ann, { link_id: link.id })]).toEqual([EMPTY, EMPTY]);
  });

  test("lists complete codes with their scans, newest first; link_id restricts it to one link", async () => {
    const ann = await premiumAccount();
    const [one, two] = [await ann.createLink(), await ann.createLink()];
    const [first, second, third] = [
      await ann.createQrCode(one, { format: "svg", fg: "#1a2b3c" }),
      await ann.createQrCode(two),
      await ann.createQrCode(one),
    ];
    await visit(one.short_url, { search: `?qr=${first.id.slice(3)}` });
    await ann.waitForClicks(1, one);
    const scanned = { ...first, scans: 1 };
    expect(await list(ann, { link_id: one.id })).toEqual({ ...EMPTY, data: [third, scanned].toSorted(byNewest) });
    expect(await list(ann, { link_id: two.id })).toEqual({ ...EMPTY, data: [second] });
    expect(await list(ann)).toEqual({ ...EMPTY, data: [third, second, scanned].toSorted(byNewest) });
  });

  test.each([{}, { link_id: "of the link" }])("pages contain every code once, with %j", async (filter) => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const codes = (await makeCodes(ann, link, 7)).toSorted(byNewest);
    const query = "link_id" in filter ? { link_id: link.id, limit: "3" } : { limit: "3" };
    const pages: QrCode[][] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: QrCodePage = await list(ann, { ...query, ...(cursor ? { cursor } : {}) });
      expect(page.has_more).toBe(page.next_cursor !== null);
      pages.push(page.data);
      cursor = page.next_cursor;
      // A code created in the meantime is newer than every page that follows.
      if (pages.length === 1) await makeCodes(ann, link, 1);
    }
    expect(pages).toEqual([codes.slice(0, 3), codes.slice(3, 6), codes.slice(6)]);
  });

  test("returns nothing of another account or of the other mode", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    const annTesting = await ann.withKey("test");
    const link = await ann.createLink();
    const [code] = await makeCodes(ann, link, 1);
    for (const stranger of [ben, annTesting]) {
      expect(await list(stranger)).toEqual(EMPTY);
      expect(await list(stranger, { cursor: "qr_zzzzzzzzzzzzzzzzzzzzzzzzzz" })).toEqual(EMPTY);
      expect(errorOf(await stranger.call("GET", `/v1/qr?link_id=${link.id}`))).toEqual(LINK_NOT_FOUND);
    }
    expect((await list(ann)).data).toEqual([code]);
    expect(errorOf(await ann.call("GET", "/v1/qr?link_id=lnk_none"))).toEqual(LINK_NOT_FOUND);
  });

  test("codes of a deleted link stay listed, as each stays readable", async () => {
    const ann = await freeAccount();
    const link = await ann.createLink();
    const [code] = await makeCodes(ann, link, 1);
    await ann.call("DELETE", `/v1/links/${link.id}`);
    expect((await list(ann)).data).toEqual([code]);
    expect((await list(ann, { link_id: link.id })).data).toEqual([code]);
  });

  test("does not show a key the codes of links created in the dashboard, and continues after them", async () => {
    const browser = await signedUp();
    const made = await browser.createLink();
    const { key } = (await browser.api("POST", "/keys", { name: "k", mode: "live" })).body as CreatedKey;
    const byKey = { Authorization: `Bearer ${key}` };
    const link = (await send("POST", "/v1/links", { url: "https://example.com/" }, byKey)).body as Link;
    const code = (await send("POST", "/v1/qr", { link_id: link.id }, byKey)).body as QrCode;
    const hidden = (await browser.api("POST", "/qr", { link_id: made.id })).body as QrCode;
    expect((await browser.api("GET", "/qr")).body).toEqual({ ...EMPTY, data: [code, hidden].toSorted(byNewest) });
    const shown: QrCode[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const query = `limit=1${cursor && `&cursor=${cursor}`}`;
      const page = QrCodePage.parse((await send("GET", `/v1/qr?${query}`, undefined, byKey)).body);
      expect(page.has_more).toBe(page.next_cursor !== null);
      shown.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(shown).toEqual([code]);
  });

  test("leaves out archived codes, and lists only those with archived=true, page by page", async () => {
    const ann = await premiumAccount();
    const link = await ann.createLink();
    const codes = (await makeCodes(ann, link, 4)).toSorted(byNewest);
    const archived: QrCode[] = [];
    for (const { id } of codes.slice(0, 2)) {
      archived.push((await ann.call("PATCH", `/v1/qr/${id}`, { archived: true })).body as QrCode);
    }
    for (const of of [{}, { link_id: link.id }]) {
      expect(await list(ann, of)).toEqual({ ...EMPTY, data: codes.slice(2) });
      expect(await list(ann, { ...of, archived: "false" })).toEqual({ ...EMPTY, data: codes.slice(2) });
      expect(await list(ann, { ...of, archived: "true" })).toEqual({ ...EMPTY, data: archived });
    }
    // A link's list is full. The account's may have fewer, but continues.
    expect((await list(ann, { link_id: link.id, limit: "1" })).data).toEqual([codes[2]]);
    const first = await list(ann, { limit: "2" });
    expect(first).toMatchObject({ data: [], has_more: true });
    expect((await list(ann, { limit: "2", cursor: first.next_cursor ?? "" })).data).toEqual(codes.slice(2));
    expect(errorOf(await ann.call("GET", "/v1/qr?archived=yes"))).toEqual(
      validationFailed(["archived", "invalid_value", "must be one of true, false"]),
    );
  });

  test("reads no more rows than it returns, however many codes other links have", async () => {
    const ann = await premiumAccount();
    const [one, other] = [await ann.createLink(), await ann.createLink()];
    await makeCodes(ann, one, 2);
    await makeCodes(ann, other, 20);
    const { env: watched, counted } = withRowCount(env);
    const caller: Caller = { ...CALLER, accountId: ann.accountId };
    expect((await listQrCodes(watched, caller, { link_id: one.id, limit: 20, archived: "false" })).items).toHaveLength(
      2,
    );
    // The link twice, and two for each code: its index and its row.
    expect(counted.rows).toBeLessThan(10);
  });

  test("reports all problems together", async () => {
    const ann = await freeAccount();
    expect(errorOf(await ann.call("GET", "/v1/qr?limit=101&cursor=x&sort=id"))).toEqual(
      validationFailed(
        ["limit", "too_big", "must be between 1 and 100"],
        ["cursor", "invalid_value", "must be the next_cursor of an earlier page"],
        ["sort", "unknown_field", "is unknown"],
      ),
    );
  });
});
