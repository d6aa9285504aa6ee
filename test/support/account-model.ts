/**
 * An account and mode as tests know it: its links, and a list of all its clicks. The clicks are those sent to the
 * Worker; only their times are read from the links' own logs.
 */
import { env } from "cloudflare:workers";
import { expect } from "vitest";

import { Link } from "../../src/core/contract/links.ts";
import { unreachableRuleProblems } from "../../src/core/links/link-validation.ts";
import { canonicalText, type RoutingRule } from "../../src/core/links/routing.ts";
import { tagKey } from "../../src/core/links/case-folding.ts";
import { addressObjectName } from "../../src/core/links/link-snapshot.ts";
import { placeNameOf } from "../../src/store/directory/databases.ts";
import { feedName } from "../../src/core/streams/event-log.ts";
import type { Mode } from "../../src/core/account.ts";
import type { VisitFact } from "../../src/core/clicks/facts.ts";
import { type ListedClick, type ListedLink, rowOf, utcDayOf } from "./click-list.ts";
import type { ApiResponse } from "./api-response.ts";
import { eventually } from "./eventually.ts";
import { randomVisit, type SentVisit } from "./random-visits.ts";
import { randomElement, randomInteger } from "./seeded-random.ts";
import { type TestAccount, visit } from "./test-accounts.ts";

export interface ModelLink extends ListedLink {
  link: Link;
  /** Whether it is visited. */
  isActive: boolean;
  isDeleted: boolean;
  revision: number;
  codes: string[];
  /** Clicks in its log. */
  stored: number;
}

interface TypedTag {
  name: string;
  /** Epoch ms. */
  at: number;
}

/** Conditions that compare a fact with its key. */
const CONDITIONS: readonly RoutingRule["if"][] = [
  { country: ["DE"] },
  { country: ["AT", "US"] },
  { device: ["mobile"] },
  { utm_source: ["news"] },
  { browser: ["safari"], country: ["DE"] },
];
/** Some are equal in the list of tags. */
const TAGS = ["Spring", "SPRING", "print", "Straße", "STRASSE", "none"];
const BURST_VISITS_MAX = 6;
const STORED_TIMEOUT_MS = 30_000;

let visits = 0;

export class ModelAccount {
  readonly actor: TestAccount;
  readonly mode: Mode;
  readonly links: ModelLink[] = [];
  clicks: ListedClick[] = [];
  /** An answer has covered every click before this time, epoch ms. */
  answeredTo = 0;
  readonly #chance: () => number;
  /** Tags as last typed, by database and key: each database forgets one with its last link. */
  readonly #typed = new Map<string, Map<string, TypedTag>>();

  constructor(actor: TestAccount, mode: Mode, chance: () => number) {
    this.actor = actor;
    this.mode = mode;
    this.#chance = chance;
  }

  get object(): DurableObjectStub {
    return env.ACCOUNT_CLICKS.getByName(feedName(this.actor.accountId, this.mode)) as unknown as DurableObjectStub;
  }

  get active(): ModelLink[] {
    return this.links.filter(({ isActive }) => isActive);
  }

  nameOf(tag: string): string {
    if (tag === "none") return tag;
    const shown = [...this.#typed.values()].flatMap((tags) => tags.get(tag) ?? []);
    // In the same millisecond, one of two databases keeps the name permanently.
    return shown.sort((one, other) => one.at - other.at || (one.name < other.name ? -1 : 1)).at(-1)?.name ?? tag;
  }

  async addLink(fields: object = {}): Promise<ModelLink> {
    const aliases = this.links.length % 2 === 0 ? [{ slug: `alias-${crypto.randomUUID()}` }] : null;
    const content = { ...fields, ...this.#randomRules(), tags: this.#randomTags(), aliases };
    return this.add(
      await this.actor.call("POST", "/v1/links", content.tags.length > 0 ? content : { ...content, tags: null }),
    );
  }

  /** @param reply  to the request that created the link */
  add(reply: ApiResponse): ModelLink {
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    const link = Link.parse(reply.body);
    const { id, domain, tags = [], short_url } = link;
    const address = addressOf(short_url);
    const revision = revisionOf(reply);
    const model = { id, domain, address, tags, link, isActive: true, isDeleted: false, revision, codes: [], stored: 0 };
    this.links.push(model);
    this.#type(model, tags);
    return model;
  }

  async change(of: ModelLink): Promise<void> {
    const what = this.#chance();
    if (what < 0.2) of.codes.push((await this.actor.createQrCode(of.link)).id);
    else await this.#update(of, what < 0.6 ? { tags: this.#randomTags() } : this.#randomRules());
  }

  async #update(of: ModelLink, changes: Record<string, unknown>): Promise<void> {
    const reply = await this.actor.call("PATCH", `/v1/links/${of.id}`, changes);
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    of.link = Link.parse(reply.body);
    of.revision = revisionOf(reply);
    const tags = of.link.tags ?? [];
    // Unchanged tags have not been typed again.
    const typed = tags.filter((tag) => !of.tags.includes(tag));
    of.tags = tags;
    this.#type(of, typed);
  }

  #type(link: ModelLink, typed: readonly string[]): void {
    const database = placeNameOf(env, link);
    const names = this.#typed.get(database) ?? new Map<string, TypedTag>();
    for (const name of typed) names.set(tagKey(name), { name, at: Date.now() });
    const inIt = this.links.filter((one) => placeNameOf(env, one) === database);
    const used = new Set(inIt.flatMap(({ tags }) => tags.map(tagKey)));
    for (const tag of names.keys()) if (!used.has(tag)) names.delete(tag);
    this.#typed.set(database, names);
  }

  #randomTags(): string[] {
    const tags = Array.from({ length: randomInteger(this.#chance, 4) }, () => randomElement(this.#chance, TAGS));
    return tags.filter((tag, i) => tags.findIndex((other) => tagKey(other) === tagKey(tag)) === i);
  }

  #randomRules(): { url: string; routing: RoutingRule[] } {
    const conditions = CONDITIONS.filter(() => this.#chance() < 0.3);
    const to = () => `https://example.com/${randomInteger(this.#chance, 4)}?a,b`;
    const rules = conditions.map((condition) => ({ if: condition, to: to() }));
    const reachable = rules.filter((_, i) => {
      const upTo = rules.slice(0, i + 1).map((rule, index) => ({ ...rule, index }));
      return unreachableRuleProblems(upTo).every(({ path }) => path !== `routing.${i}.if` && path !== `routing.${i}`);
    });
    return { url: to(), routing: reachable };
  }

  async delete(of: ModelLink, query = ""): Promise<void> {
    const { status } = await this.actor.call("DELETE", `/v1/links/${of.id}${query}`);
    expect(status).toBe(204);
    this.end(of);
  }

  end(of: ModelLink): void {
    Object.assign(of, { isActive: false, isDeleted: true, tags: [] });
    this.#type(of, []);
  }

  forget(of: ModelLink): void {
    this.links.splice(this.links.indexOf(of), 1);
    this.clicks = this.clicks.filter(({ link }) => link !== of);
  }

  /** Visits some links at the same time. @returns a function that waits until their clicks are stored */
  async visitSome(): Promise<() => Promise<void>> {
    const links = Array.from({ length: 1 + randomInteger(this.#chance, 2) }, () =>
      randomElement(this.#chance, this.active),
    );
    const sent = Array.from({ length: 1 + randomInteger(this.#chance, BURST_VISITS_MAX) }, () => {
      const of = randomElement(this.#chance, links);
      return { of, visit: randomVisit(this.#chance, `visit ${++visits}`, of.codes) };
    });
    const at = Date.now();
    const clicks = await Promise.all(
      sent.map(async ({ of, visit: sentVisit }, i) => {
        const chosen = { visit: sentVisit, revision: of.revision, ...decided(of, sentVisit) };
        const [alias] = i % 2 === 0 ? (of.link.aliases ?? []) : [];
        const response = await visit((alias ?? of.link).short_url, sentVisit.options);
        expect([response.status, response.headers.get("Location")]).toEqual([302, chosen.destination]);
        return { link: of, day: utcDayOf(at), ...chosen, alias: alias && addressOf(alias.short_url) };
      }),
    );
    return async () => {
      const byLink = Map.groupBy(clicks, ({ link }) => link);
      for (const [of, some] of byLink) await this.#list(of, some, at);
    };
  }

  /** Waits until clicks are in the link's log, from which their times are read. */
  async #list(of: ModelLink, sent: Omit<ListedClick, "at" | "seq">[], sentAt: number): Promise<void> {
    const wanted = new Map(sent.map((click) => [click.visit.facts.utm_term, click]));
    await eventually(
      async () => (await this.actor.clicks(of.link, { after: String(of.stored) })).data.length === wanted.size,
      "clicks are stored",
      STORED_TIMEOUT_MS,
    );
    const { data } = await this.actor.clicks(of.link, { after: String(of.stored) });
    for (const row of data) {
      const { seq, occurred_at, utm_term } = row;
      const click = wanted.get(utm_term);
      if (!click) throw new Error(`no visit was sent with ${utm_term}`);
      const at = Date.parse(occurred_at);
      expect(at).toBeGreaterThanOrEqual(sentAt);
      // An answer without this click has stated that it covered all earlier ones.
      expect(at).toBeGreaterThanOrEqual(this.answeredTo);
      const listed = { ...click, at, seq };
      expect({ ...row, link_id: of.id, domain: of.domain }).toEqual(rowOf(listed));
      this.clicks.push(listed);
    }
    of.stored += data.length;
  }
}

function decided({ link }: ModelLink, { facts }: SentVisit): Pick<ListedClick, "rule" | "destination"> {
  const rule = link.routing.find(({ if: condition }) =>
    Object.entries(condition).every(([fact, values]) => [values].flat().includes(facts[fact as VisitFact])),
  );
  return rule ? { rule: canonicalText(rule.if), destination: rule.to } : { rule: "default", destination: link.url };
}

function addressOf(shortUrl: string): string {
  return shortUrl.slice(shortUrl.indexOf("//") + 2);
}

function revisionOf({ headers }: ApiResponse): number {
  return Number(headers.get("ETag")?.replaceAll('"', ""));
}

export function objectOfLink({ domain, slug }: Pick<Link, "domain" | "slug">): DurableObjectStub {
  return env.LINK_CLICKS.getByName(addressObjectName(domain, slug)) as unknown as DurableObjectStub;
}
