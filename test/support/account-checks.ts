/** Random queries to the API about all links of an account, each compared with the list of its clicks. */
import Papa from "papaparse";
import { expect } from "vitest";

import { type AccountGrouping, INTERVALS } from "../../src/core/clicks/counting/groupings.ts";
import { AccountStats } from "../../src/core/contract/stats.ts";
import { type Link, LinkPage, TagPage } from "../../src/core/contract/links.ts";
import { tagKey } from "../../src/core/links/case-folding.ts";
import type { ModelAccount } from "./account-model.ts";
import type { ApiResponse } from "./api-response.ts";
import {
  ALL_GROUPINGS,
  countedStats,
  type Filter,
  inOrderOfTime,
  iso,
  isWanted,
  keysOf,
  paramsOf,
  type Question,
  rowOf,
} from "./click-list.ts";
import { openExport, textOf } from "./recorded-clicks.ts";
import { randomElement, randomInteger } from "./seeded-random.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const TIME_ZONES = ["UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"];

type Row = ReturnType<typeof rowOf>;
type CountedLink = [id: string, clicks: number];

const byClicks = ([id, clicks]: CountedLink, [otherId, others]: CountedLink) =>
  others - clicks || (id < otherId ? 1 : -1);

export class AccountChecks {
  readonly #account: ModelAccount;
  readonly #chance: () => number;
  /** Whether something was broken a moment ago: answers may be old, or 503. */
  isExcused: () => boolean;

  constructor(account: ModelAccount, chance: () => number, isExcused: () => boolean) {
    this.#account = account;
    this.#chance = chance;
    this.isExcused = isExcused;
  }

  async any(): Promise<void> {
    const what = this.#chance();
    if (what < 0.5) await this.stats(this.randomQuestion());
    else if (what < 0.7) await this.clickPages(this.randomQuestion());
    else if (what < 0.8) await this.exported(this.randomQuestion());
    else if (what < 0.9) await this.linksByClicks();
    else if (what < 0.95) await this.linksWithClicks();
    else await this.tags();
  }

  async everything(): Promise<void> {
    for (const groupBy of ALL_GROUPINGS) await this.stats({ ...this.randomQuestion(), groupBy });
    for (const name of ALL_GROUPINGS)
      await this.stats({ ...this.randomQuestion(), filters: [this.#randomFilter(name)] });
    await this.clickPages(this.randomQuestion());
    await this.exported({ ...this.randomQuestion(), from: 0, filters: [] });
    await this.linksByClicks();
    await this.linksWithClicks();
    await this.tags();
  }

  randomQuestion(): Question {
    const chance = this.#chance;
    const { clicks } = this.#account;
    const now = Date.now();
    const anyTime = () =>
      clicks.length > 0 && chance() < 0.6
        ? randomElement(chance, clicks).at + randomInteger(chance, 2)
        : now - randomInteger(chance, 3 * DAY_MS) + randomInteger(chance, MINUTE_MS);
    const [from = 0, to = 0] = [anyTime(), chance() < 0.4 ? now + DAY_MS : anyTime()].sort((a, b) => a - b);
    const names = Array.from({ length: chance() < 0.4 ? 0 : 1 + randomInteger(chance, 3) }, () =>
      randomElement(chance, ALL_GROUPINGS),
    );
    return {
      groupBy: randomElement(chance, ALL_GROUPINGS),
      from: chance() < 0.3 ? Math.min(from, clicks[0]?.at ?? from) : from,
      to,
      interval: randomElement(chance, [null, ...INTERVALS]),
      timezone: randomElement(chance, TIME_ZONES),
      includeBots: chance() < 0.4,
      uniques: chance() < 0.3,
      filters: [...new Set(names)].map((name) => this.#randomFilter(name)),
    };
  }

  #randomFilter(name: AccountGrouping): Filter {
    const { clicks } = this.#account;
    const values = Array.from({ length: 1 + randomInteger(this.#chance, 3) }, () =>
      clicks.length === 0 ? "nothing" : randomElement(this.#chance, keysOf(randomElement(this.#chance, clicks), name)),
    );
    return { name, values };
  }

  /** Compares an answer up to its `as_of`. */
  async stats(question: Question): Promise<void> {
    const reply = await this.#ask(`/v1/stats?${paramsOf(question)}`);
    if (!reply) return;
    if (reply.status === 422) {
      expect(countedStats([], question, String)).toBeNull();
      return;
    }
    const { as_of, progress, ...stats } = AccountStats.parse(reply.body);
    const to = this.#answered(as_of, question.to);
    const range = { from: Math.min(question.from, to), to };
    const expected = countedStats(this.#account.clicks, { ...question, ...range }, (tag) => this.#account.nameOf(tag));
    expect({ question, as_of, progress, ...stats }).toEqual({ question, as_of, progress, ...expected });
    if (!this.isExcused()) expect(progress).toBeUndefined();
  }

  async clickPages(question: Question): Promise<void> {
    const { from, to, filters } = question;
    const rows: Row[] = [];
    const limit = String(1 + randomInteger(this.#chance, 30));
    for (let after: string | null = null; ;) {
      const params = paramsOf({ from, to, filters });
      params.set("limit", limit);
      if (after !== null) params.set("after", after);
      const reply = await this.#ask(`/v1/clicks?${params}`);
      if (!reply) return;
      const page = reply.body as { data: Row[]; has_more: boolean; next_after: string | null; as_of: string };
      rows.push(...page.data);
      after = page.next_after;
      if (page.has_more) continue;
      this.#expectRows(rows, question, this.#answered(page.as_of, to));
      return;
    }
  }

  async exported(question: Question): Promise<void> {
    const { from, to, filters } = question;
    const isCsv = this.#chance() < 0.5;
    const type = isCsv ? "text/csv" : "application/x-ndjson";
    const file = await openExport(this.#account.actor, `/v1/clicks?${paramsOf({ from, to, filters })}`, {
      Accept: type,
    });
    const text = await textOf(file);
    if (file.status === 503 && this.isExcused()) return;
    expect(file.status, text).toBe(200);
    const until = this.#answered(file.headers.get("Hoplink-As-Of") ?? "", to);
    if (!isCsv) {
      this.#expectRows(
        text
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Row),
        question,
        until,
      );
      return;
    }
    const { data } = Papa.parse<Record<string, string>>(text.trimEnd(), { header: true, newline: "\r\n" });
    const expected = this.#rows(question, until).map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [column, String(value ?? "")])),
    );
    expect({ question, rows: data }).toEqual({ question, rows: expected });
  }

  #expectRows(rows: readonly Row[], question: Question, to: number): void {
    expect({ question, to, rows }).toEqual({ question, to, rows: this.#rows(question, to) });
  }

  #rows({ from, filters }: Question, to: number): Row[] {
    return this.#account.clicks
      .filter((click) => isWanted(click, { from, to, filters }))
      .sort(inOrderOfTime)
      .map(rowOf);
  }

  /** Most clicked first, as of an instant that the page does not state. */
  async linksByClicks(): Promise<void> {
    const found = await this.#pages("sort=-clicks&");
    if (!found) return;
    const least = this.isExcused() ? 0 : Date.now() - MINUTE_MS;
    const times = [least, ...this.#account.clicks.map(({ at }) => at + 1).filter((at) => at >= least)];
    const possible = times.map((at) => JSON.stringify(this.#countedLinks(at).sort(byClicks)));
    expect(possible).toContain(JSON.stringify(found.map(({ id, clicks }) => [id, clicks])));
  }

  /** The links' own current counts. */
  async linksWithClicks(): Promise<void> {
    const found = await this.#pages("sort=created_at&");
    expect(found?.map(({ id, clicks }) => [id, clicks]).toSorted()).toEqual(this.#countedLinks(Infinity).toSorted());
  }

  #countedLinks(to: number): CountedLink[] {
    const { links, clicks } = this.#account;
    const counted = clicks.filter(({ at, visit }) => at < to && visit.class === "human");
    return links
      .filter(({ isDeleted }) => !isDeleted)
      .map(({ id }) => [id, counted.filter(({ link }) => link.id === id).length]);
  }

  async #pages(query: string): Promise<Link[] | null> {
    const found: Link[] = [];
    const limit = 1 + randomInteger(this.#chance, 10);
    for (let cursor: string | null = ""; cursor !== null;) {
      const path: string = `/v1/links?${query}include=clicks&limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const reply = await this.#ask(path);
      if (!reply) return null;
      const page = LinkPage.parse(reply.body);
      found.push(...page.data);
      cursor = page.next_cursor;
    }
    return found;
  }

  async tags(): Promise<void> {
    const { links } = this.#account;
    const keys = [...new Set(links.flatMap(({ tags }) => tags.map(tagKey)))].sort();
    const expected = keys.map((key) => ({
      tag: key === "none" ? "none" : this.#account.nameOf(key),
      links: links.filter(({ tags }) => tags.some((tag) => tagKey(tag) === key)).length,
    }));
    const reply = await this.#ask("/v1/tags");
    expect(TagPage.parse(reply?.body).data).toEqual(expected);
  }

  /** @returns null if it cannot be answered now, and need not be */
  async #ask(path: string): Promise<ApiResponse | null> {
    const reply = await this.#account.actor.call("GET", path);
    if (reply.status === 503 && this.isExcused()) return null;
    if (reply.status !== 422) expect(reply.status, `${path} ${JSON.stringify(reply.body)}`).toBe(200);
    return reply;
  }

  /** @returns the end of the answered range, epoch ms */
  #answered(asOf: string, to: number): number {
    const at = Date.parse(asOf);
    if (!this.isExcused()) expect(iso(at) >= iso(Math.min(to, Date.now() - MINUTE_MS)), `as_of is ${asOf}`).toBe(true);
    this.#account.answeredTo = Math.max(this.#account.answeredTo, at);
    return Math.min(to, at);
  }
}
