/**
 * Random links, tags, clicks, changes, deletions, erasures and evictions; in between, random questions about the account are compared
 * with a list of all clicks. Chance is seeded, so a failure comes again.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import { AccountStats } from "../../../src/core/contract/account-stats.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import { binStarts } from "../../../src/core/clicks/calendar.ts";
import { addressObjectName } from "../../../src/core/links/link-snapshot.ts";
import { tagKey } from "../../../src/core/links/tags.ts";
import { feedName } from "../../../src/core/streams/event-log.ts";
import { runMaintenance } from "../../../src/maintenance/run-maintenance.ts";
import { freezeClockAt } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { randomElement, randomInteger, seededRandom } from "../../support/seeded-random.ts";
import { premiumAccount, type TestAccount, visit } from "../../support/test-accounts.ts";

// Objects that load it at the same time would wait for one another's I/O, which only tests let them share.
await import("../../../src/clicks/click-draw.ts");
vi.setConfig({ testTimeout: 120_000 });

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const START = Date.UTC(new Date().getUTCFullYear() + 1, 4, 1);
const STEPS = 40;

afterEach(() => {
  vi.useRealTimers();
});

interface ModelLink {
  link: Link;
  tags: string[];
  state: "active" | "deleted" | "erased";
  visits: number;
  revision: number;
}

interface ModelClick {
  of: ModelLink;
  at: number;
  country: string;
  utm_source: string;
  revision: number;
}

/** Typed in different ways; the last one is how statistics show a tag. */
const TAGS = ["Spring", "SPRING", "print", "Straße", "STRASSE", "none"];
const GROUPINGS = ["country", "utm_source", "link", "tag", "domain", "revision"] as const;
type Grouping = (typeof GROUPINGS)[number];

const FILTERS: Partial<Record<Grouping, string>> = {
  country: "country",
  utm_source: "utm_source",
  link: "link_id",
  tag: "tag",
  domain: "domain",
};

class Model {
  readonly links: ModelLink[] = [];
  readonly clicks: ModelClick[] = [];
  readonly #names = new Map<string, string>();
  #now = START;

  get now(): number {
    return this.#now;
  }

  pass(ms: number): void {
    this.#now += ms;
    freezeClockAt(this.#now);
  }

  typed(tags: readonly string[]): string[] {
    for (const tag of tags) this.#names.set(tagKey(tag), tag);
    return tags.map(tagKey);
  }

  /** The keys of a click, tags by what is compared. */
  keysOf({ of, country, utm_source, revision }: ModelClick, grouping: Grouping): string[] {
    if (grouping === "country") return [country];
    if (grouping === "utm_source") return [utm_source || "none"];
    if (grouping === "link") return [of.link.id];
    if (grouping === "domain") return [of.link.domain];
    if (grouping === "revision") return [String(revision)];
    return of.tags.length > 0 ? of.tags : ["none"];
  }

  nameOf(key: string): string {
    const isUsed = this.links.some(({ tags }) => tags.includes(key));
    return key === "none" || !isUsed ? key : (this.#names.get(key) ?? key);
  }
}

interface Question {
  groupBy: Grouping;
  from: number;
  to: number;
  interval: "hour" | "day" | null;
  filters: { grouping: Grouping; values: string[] }[];
}

function answerOf(model: Model, { groupBy, filters, ...range }: Question, asOf: number) {
  const to = Math.min(range.to, asOf);
  const from = Math.min(range.from, to);
  const counted = model.clicks.filter(
    (click) =>
      click.of.state !== "erased" &&
      click.at >= from &&
      click.at < to &&
      filters.every(({ grouping, values }) => model.keysOf(click, grouping).some((key) => values.includes(key))),
  );
  const buckets = new Map<string, number>();
  for (const click of counted) {
    for (const key of model.keysOf(click, groupBy)) {
      const shown = groupBy === "tag" ? model.nameOf(key) : key;
      buckets.set(shown, (buckets.get(shown) ?? 0) + 1);
    }
  }
  const starts = range.interval ? (binStarts(range.interval, "UTC", from, to, 2_000) ?? []) : [];
  return {
    total: counted.length,
    buckets: [...buckets]
      .map(([key, clicks]) => ({ key, clicks }))
      .sort((one, other) => other.clicks - one.clicks || (one.key < other.key ? -1 : 1)),
    series: starts.map((start, i) => ({
      start: new Date(start).toISOString(),
      clicks: counted.filter(({ at }) => at >= start && at < (starts[i + 1] ?? Infinity)).length,
    })),
  };
}

const paramsOf = ({ groupBy, from, to, interval, filters }: Question) =>
  new URLSearchParams({
    group_by: groupBy,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    ...(interval ? { interval } : {}),
    ...Object.fromEntries(filters.map(({ grouping, values }) => [FILTERS[grouping], values.join(",")])),
  });

async function ask(ann: TestAccount, question: Question): Promise<AccountStats> {
  const reply = await ann.call("GET", `/v1/stats?${paramsOf(question)}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return AccountStats.parse(reply.body);
}

function randomQuestion(model: Model, random: () => number): Question {
  const instants = [START, model.now, model.now + DAY_MS, ...model.clicks.flatMap(({ at }) => [at, at + 1])];
  const [one, other] = [randomElement(random, instants), randomElement(random, instants)];
  const grouping = randomElement(random, GROUPINGS);
  const values = model.clicks.length === 0 ? [] : model.keysOf(randomElement(random, model.clicks), grouping);
  const filters = FILTERS[grouping] && values.length > 0 && random() < 0.6 ? [{ grouping, values }] : [];
  return {
    groupBy: randomElement(random, GROUPINGS),
    from: Math.min(one, other),
    to: Math.max(one, other),
    interval: randomElement(random, ["hour", "day", null]),
    filters,
  };
}

async function step(ann: TestAccount, model: Model, random: () => number, domain: string): Promise<void> {
  const randomTags = () => {
    const tags = Array.from({ length: randomInteger(random, 3) }, () => randomElement(random, TAGS));
    return tags.filter((tag, i) => tags.findIndex((other) => tagKey(other) === tagKey(tag)) === i);
  };
  const active = model.links.filter(({ state }) => state === "active");
  const chance = random();
  if (active.length === 0 || chance < 0.15) {
    const tags = randomTags();
    const link = await ann.createLink({ ...(tags.length > 0 ? { tags } : {}), ...(random() < 0.3 ? { domain } : {}) });
    model.links.push({ link, tags: model.typed(tags), state: "active", visits: 0, revision: 1 });
  } else if (chance < 0.65) {
    const of = randomElement(random, active);
    const [country, utm_source] = [
      randomElement(random, ["DE", "AT", "JP"]),
      randomElement(random, ["", "news", "mail"]),
    ];
    await visit(of.link.short_url, { country, search: utm_source && `?utm_source=${utm_source}` });
    await ann.waitForClicks(++of.visits, of.link);
    const { data } = await ann.clicks(of.link, { after: String(of.visits - 1) });
    // A millisecond later where an answer has the clicks of this one already.
    const at = Date.parse(data[0]?.occurred_at ?? "");
    expect(at - model.now).toBeLessThanOrEqual(1);
    model.clicks.push({ of, at, country, utm_source, revision: of.revision });
  } else if (chance < 0.8) {
    const of = randomElement(random, active);
    const tags = randomTags();
    const unchanged = tags.filter((tag) => of.link.tags?.includes(tag));
    of.link = await ann.updateLink(of.link, { tags });
    of.revision++;
    // A tag that stays as it is typed is not typed again.
    model.typed(tags.filter((tag) => !unchanged.includes(tag)));
    of.tags = tags.map(tagKey);
  } else if (chance < 0.9) {
    await evict(ann, randomElement(random, active).link);
  } else {
    const of = randomElement(random, active);
    const isErased = random() < 0.5;
    expect((await ann.call("DELETE", `/v1/links/${of.link.id}${isErased ? "?erase=true" : ""}`)).status).toBe(204);
    Object.assign(of, { state: isErased ? "erased" : "deleted", tags: [] });
    if (isErased) await erased(ann, model);
  }
}

/** The objects of a link and of the account forget what they have not stored. */
async function evict({ accountId }: TestAccount, { domain, slug }: Link): Promise<void> {
  const objects = [
    env.LINK_CLICKS.getByName(addressObjectName(domain, slug)),
    env.ACCOUNT_CLICKS.getByName(feedName(accountId, "live")),
  ];
  for (const object of objects) {
    // Only an object that runs can be evicted.
    await runInDurableObject(object as DurableObjectStub, () => {});
    await evictDurableObject(object as DurableObjectStub);
  }
}

/** The clicks are erased a minute later; then the account's are read anew without them. */
async function erased(ann: TestAccount, model: Model): Promise<void> {
  const question: Question = { groupBy: "link", from: START, to: model.now, interval: null, filters: [] };
  await eventually(async () => {
    model.pass(2 * MINUTE_MS);
    for (let cursor = "", next: number | null = 0; next !== null && next <= Date.now();) {
      ({ deliveryCursor: cursor, nextRunAt: next } = await runMaintenance(env, cursor));
    }
    const { progress, buckets } = await ask(ann, question);
    const gone = model.links.filter(({ state }) => state === "erased").map(({ link }) => link.id);
    return progress === undefined && buckets.every(({ key }) => !gone.includes(key));
  }, "an erasure");
}

test.each([1, 2, 3])(
  "14 whatever happens, the account's statistics are those of its clicks, chance %i",
  async (seed) => {
    const random = seededRandom(seed);
    const model = new Model();
    model.pass(0);
    const ann = await premiumAccount();
    const { domain } = await ann.activeDomain();
    for (let i = 0; i < STEPS; i++) {
      await step(ann, model, random, domain);
      model.pass((1 + randomInteger(random, 90)) * 1_000);
      if (random() < 0.5) continue;
      const question = randomQuestion(model, random);
      const { as_of, total, buckets, series } = await ask(ann, question);
      const asOf = Date.parse(as_of);
      expect(asOf).toBeGreaterThanOrEqual(Math.min(model.now - MINUTE_MS, question.to));
      expect({ i, question, total, buckets, series }).toEqual({ i, question, ...answerOf(model, question, asOf) });
    }
  },
);
