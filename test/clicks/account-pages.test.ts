/**
 * An account's clicks in the order of time, page by page, compared with a list of all drawn clicks: under filters, from
 * any place on, while links are drawn, erased, and the object is killed. Randomness is seeded.
 */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";

import { AccountLog } from "../../src/clicks/account/account-log.ts";
import type {
  AccountClicksPage,
  AccountClicksRequest,
  ClickPlace,
} from "../../src/core/clicks/protocol/account-object-rpc.ts";
import { ACCOUNT_GROUPINGS } from "../../src/core/clicks/counting/groupings.ts";
import type { AccountFilter } from "../../src/core/clicks/counting/filters.ts";
import { AccountClick } from "../../src/core/contract/clicks.ts";
import { ClickMix } from "../bench/click-mix.ts";
import { draw, keysOfClick, type SentClick, type TestLink } from "../support/drawn-links.ts";
import { randomElement, randomInteger, seededRandom } from "../support/seeded-random.ts";

vi.setConfig({ testTimeout: 120_000 });

const START = Date.UTC(2026, 4, 1, 20);
const HOUR_MS = 3_600_000;
/** Small, so that a few thousand clicks are staged and merged in many steps. */
const SIZES = { stagedClicks: 1_500, stagedBytes: 400_000, pieceClicks: 1_000 };

/** A click with its number in the log of its link. */
type NumberedClick = SentClick & { seq: number };

class TestAccount {
  links: TestLink[] = [];
  log: AccountLog;
  drawnTo = START;
  readonly #mix = new ClickMix();
  readonly #storage: DurableObjectStorage;
  readonly #chance: () => number;
  #linksMade = 0;

  constructor(storage: DurableObjectStorage, chance: () => number) {
    this.#storage = storage;
    this.#chance = chance;
    this.log = new AccountLog(storage, SIZES);
  }

  addLinks(count: number): void {
    for (let i = 0; i < count; i++) {
      // In random order, so that link ids and link numbers sort differently.
      const id = `lnk_${randomInteger(this.#chance, 36 ** 4).toString(36)}x${this.#linksMade++}`;
      const tags = ["spring", "print"].filter(() => this.#chance() < 0.3);
      const domain = randomElement(this.#chance, ["hop.example", "go.example"]);
      this.links.push({ id, domain, address: `${domain}/${id}`, tags, clicks: [] });
    }
  }

  /** Adds clicks of any links until `to`, many of them at the same instant. */
  click(to: number, count: number): void {
    for (let left = count; left > 0;) {
      const link = randomElement(this.#chance, this.links);
      const size = Math.min(1 + randomInteger(this.#chance, 40), left);
      left -= size;
      const since = Math.max(this.drawnTo, link.clicks.at(-1)?.at ?? 0);
      const step = this.#chance() < 0.5 ? 10_000 : 1;
      const at = Math.max(since, to - 1 - Math.floor((this.#chance() * (to - since)) / step) * step);
      const revision = (link.clicks.at(-1)?.revision ?? 1) + (this.#chance() < 0.1 ? 1 : 0);
      for (const click of this.#mix.batch(at, size)) {
        const address = this.#chance() < 0.2 ? `${link.address}-2` : "";
        link.clicks.push({ ...click, at: Math.min(this.#chance() < 0.5 ? at : click.at, to - 1), revision, address });
      }
      link.clicks.sort((one, other) => one.at - other.at);
    }
  }

  async drawTo(to: number): Promise<void> {
    for (const link of this.links) {
      const end = link.clicks.findLastIndex(({ at }) => at < to) + 1;
      for (let from = this.log.positionOf(link.id); from < end;) {
        const next = Math.min(from + 1 + randomInteger(this.#chance, 300), end);
        this.log.stage(link, draw(link, from, next), next);
        from = next;
      }
    }
    this.drawnTo = to;
    await this.log.merge(to);
  }

  async eraseOne(): Promise<void> {
    const [erased] = this.links.splice(randomInteger(this.#chance, this.links.length), 1);
    if (erased) this.log.erase([erased.id]);
    await this.log.merge(this.drawnTo);
  }

  restart(): void {
    this.log = new AccountLog(this.#storage, SIZES);
  }

  /** All clicks in their order. */
  clicks(): NumberedClick[] {
    const clicks = this.links.flatMap((link) => link.clicks.map((click, i) => ({ ...click, link, seq: i + 1 })));
    const ids = (one: NumberedClick, other: NumberedClick) =>
      one.link.id < other.link.id ? -1 : Number(one.link.id > other.link.id);
    return clicks.sort((one, other) => one.at - other.at || ids(one, other) || one.seq - other.seq);
  }

  page(request: Partial<AccountClicksRequest>): Promise<AccountClicksPage | null> {
    const all = { format: "ndjson", after: null, limit: null, from: null, to: null, end: null } as const;
    return this.log.clicks({ ...all, ...request }, (id) => this.links.find((link) => link.id === id)?.tags ?? []);
  }

  /** All pages of an export. @param between  what happens after each */
  async read(
    request: Partial<AccountClicksRequest>,
    between: () => Promise<void> = async () => {},
  ): Promise<AccountClick[]> {
    const rows: AccountClick[] = [];
    for (let [after, end, isLast] = [request.after ?? null, request.end ?? null, false]; !isLast;) {
      const page = await this.page({ ...request, after, end });
      if (!page) throw new Error("the log has not all clicks");
      rows.push(...rowsOf(page));
      ({ next: after, end, isLast } = page);
      await between();
    }
    return rows;
  }
}

function rowsOf({ bytes, rows }: AccountClicksPage): AccountClick[] {
  const lines = new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  expect(lines).toHaveLength(rows);
  return lines.map((line) => AccountClick.parse(JSON.parse(line)));
}

function placeOf({ at, link, seq }: NumberedClick): ClickPlace {
  return { at, linkId: link.id, seq };
}

const nameOf = (click: AccountClick) => `${click.occurred_at} ${click.link_id} ${click.seq}`;
const nameOfSent = ({ at, link, seq }: NumberedClick) => `${new Date(at).toISOString()} ${link.id} ${seq}`;

/** Everything that the API returns about a click. */
function toldOf(click: NumberedClick): Partial<AccountClick> {
  const key = (grouping: (typeof ACCOUNT_GROUPINGS)[number]) => keysOfClick(click, grouping)[0] ?? "";
  return {
    link_id: click.link.id,
    domain: click.link.domain,
    seq: click.seq,
    occurred_at: new Date(click.at).toISOString(),
    class: click.class,
    revision: click.revision,
    country: key("country"),
    city: key("city"),
    referrer: key("referrer"),
    utm_term: key("utm_term"),
    rule: key("rule"),
    destination: key("destination"),
    source: key("source"),
    qr_id: click.qr || null,
    address: key("address"),
    imported: false,
  };
}

function anyFilters(clicks: readonly NumberedClick[], chance: () => number): AccountFilter[] {
  return Array.from({ length: randomInteger(chance, 3) }, () => {
    const grouping = randomElement(chance, ACCOUNT_GROUPINGS);
    const values = Array.from({ length: 1 + randomInteger(chance, 3) }, () =>
      randomElement(chance, keysOfClick(randomElement(chance, clicks), grouping)),
    );
    return { grouping, values };
  });
}

let objects = 0;

function inObject<T>(work: (storage: DurableObjectStorage) => Promise<T>): Promise<T> {
  const object = env.LINK_CLICKS.getByName(`account-pages.example/object-${++objects}`);
  return runInDurableObject(object, (_, { storage }) => work(storage));
}

async function expectPages(account: TestAccount, chance: () => number): Promise<void> {
  const clicks = account.clicks();
  const filters = anyFilters(clicks, chance);
  const times = [randomElement(chance, clicks).at, randomElement(chance, clicks).at];
  const range = chance() < 0.5 ? null : { from: Math.min(...times), to: Math.max(...times) };
  const after = chance() < 0.5 ? null : placeOf(randomElement(chance, clicks));
  const expected = clicks
    .slice(after ? clicks.findIndex((click) => nameOfSent(click) === placeName(after)) + 1 : 0)
    .filter(({ at }) => !range || (at >= range.from && at < range.to))
    .filter((click) =>
      filters.every(({ grouping, values }) => keysOfClick(click, grouping).some((key) => values.includes(key))),
    );
  const question = { ...range, after, ...(filters.length > 0 ? { filters } : {}) };
  const read = await account.read(question);
  expect(read.map(nameOf), JSON.stringify(question)).toEqual(expected.map(nameOfSent));
  expect(read).toMatchObject(expected.map(toldOf));
  const limit = 1 + randomInteger(chance, 50);
  const page = await account.page({ ...question, limit });
  expect(page && rowsOf(page).map(nameOf)).toEqual(expected.slice(0, limit).map(nameOfSent));
}

const placeName = ({ at, linkId, seq }: ClickPlace) => `${new Date(at).toISOString()} ${linkId} ${seq}`;

describe("14 an account's clicks in chronological order", () => {
  test.for([1, 2, 3, 4, 5])("14 pages equal those of a list of all clicks, chance %i", (seed) =>
    inObject(async (storage) => {
      const chance = seededRandom(seed);
      const account = new TestAccount(storage, chance);
      for (let round = 1; round <= 5; round++) {
        account.addLinks(2 + randomInteger(chance, 6));
        const to = account.drawnTo + 1 + randomInteger(chance, 6 * HOUR_MS);
        account.click(to, round === 3 ? 5_000 : randomInteger(chance, 1_500));
        await account.drawTo(to);
        for (let i = 0; i < 4; i++) await expectPages(account, chance);
        if (chance() < 0.5) await account.eraseOne();
        if (chance() < 0.5) account.restart();
        for (let i = 0; i < 2; i++) await expectPages(account, chance);
      }
    }),
  );

  test("14 clicks drawn in the meantime are not in it, and follow after its last row", () =>
    inObject(async (storage) => {
      const chance = seededRandom(6);
      const account = new TestAccount(storage, chance);
      account.addLinks(5);
      account.click(START + HOUR_MS, 12_000);
      await account.drawTo(START + HOUR_MS);
      const before = account.clicks().map(nameOfSent);
      const read = await account.read({}, async () => {
        const to = account.drawnTo + HOUR_MS;
        account.click(to, 300);
        await account.drawTo(to);
      });
      expect(read.map(nameOf)).toEqual(before);
      const last = read.at(-1);
      if (!last) throw new Error("nothing was read");
      const after = { at: Date.parse(last.occurred_at), linkId: last.link_id, seq: last.seq };
      expect((await account.read({ after })).map(nameOf)).toEqual(
        account.clicks().map(nameOfSent).slice(before.length),
      );
    }));

  test("14 after an erasure it continues after its last row, even if that click is erased", () =>
    inObject(async (storage) => {
      const chance = seededRandom(7);
      const account = new TestAccount(storage, chance);
      account.addLinks(6);
      account.click(START + HOUR_MS, 9_000);
      await account.drawTo(START + HOUR_MS);
      const all = account.clicks();
      while (account.links.length > 1) {
        const [erased] = account.links;
        const last = randomElement(
          chance,
          all.filter(({ link }) => link === erased),
        );
        const begun = await account.page({ limit: 3 });
        account.log.erase([erased?.id ?? ""]);
        account.links.shift();
        // The log is being rewritten: it does not contain everything that the export needs.
        expect(await account.page({ after: begun?.next ?? null, end: begun?.end ?? null })).toBeNull();
        await account.log.merge(account.drawnTo);
        const kept = new Set(account.links);
        const rest = all.slice(all.indexOf(last) + 1).filter(({ link }) => kept.has(link));
        expect((await account.read({ after: placeOf(last) })).map(nameOf)).toEqual(rest.map(nameOfSent));
      }
    }));

  test("14 a page reads a bounded number of clicks", () =>
    inObject(async (storage) => {
      const log = new AccountLog(storage);
      const mix = new ClickMix();
      const link: TestLink = {
        id: "lnk_many",
        domain: "hop.example",
        address: "hop.example/many",
        tags: [],
        clicks: [],
      };
      const clicks = mix.batch(START, 16_384).map((click) => ({ ...click, revision: 1 }));
      const count = 32;
      for (let i = 0; i < count; i++) {
        const at = START + i * 300_000;
        const part = { ...link, clicks: clicks.map((click) => ({ ...click, at: at + (click.at - START) })) };
        log.stage(link, draw(part, 0, 16_384), (i + 1) * 16_384);
        await log.merge(at + 300_000);
      }
      const request = { format: "csv", limit: null, from: null, to: null, end: null } as const;
      const filters = [{ grouping: "country" as const, values: ["nowhere"] }];
      const first = await log.clicks({ ...request, after: null, filters }, () => []);
      expect(first).toMatchObject({ rows: 0, isLast: false, clicks: count * 16_384 });
      const second = await log.clicks({ ...request, after: first?.next ?? null, filters }, () => []);
      expect(second).toMatchObject({ rows: 0, isLast: true, next: { linkId: "lnk_many", seq: count * 16_384 } });
    }));
});
