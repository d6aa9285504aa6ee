/**
 * A rollout in workerd: the Workers of several releases side by side, and the objects that all of them call, whose release
 * changes while they run. One database, one storage.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { slugPath, typedSlug } from "../../src/core/hosts.ts";
import { feedName } from "../../src/core/streams/event-log.ts";
import type { ListedClick } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import { type HostReply, requestHost } from "../../src/cli/deployment/host-request.ts";
import { LINK_MEMBER_LIST, type LinkContent, UNSET_CONTENT } from "../../src/core/links/link-members.ts";
import { type LinkSnapshot, addressObjectName } from "../../src/core/links/link-snapshot.ts";
import type { Caller } from "../../src/store/accounts/api-keys.ts";
import { createLinks } from "../../src/store/links/link-creation.ts";
import { soleOutcome } from "../../src/store/directory/links-request.ts";
import { newTestAccount } from "../support/accounts.ts";
import { type Control, DESTINATION, type Fetch } from "../support/controlled-links.ts";
import { freePorts } from "../support/ports.ts";
import { objectBindings, varsOf, Workerd } from "../support/workerd.ts";
import { currentRelease, nextRelease, previousRelease } from "./bundle.ts";
import { asKnown } from "./previous/visit-decision.ts";
import type { CallArguments, Call } from "./release-worker.ts";

const SHORT_DOMAIN = "short.example";

export type Release = "previous" | "current" | "next";
const RELEASES: readonly Release[] = ["previous", "current", "next"];

const BINDINGS = {
  bindings: varsOf(SHORT_DOMAIN, { DEV_VISITOR_HEADERS: "1", LINK_DATABASES: "" }),
  d1Databases: { DB: "hoplink" },
};
/** Bindings of the objects that a release exports. */
const OBJECTS = ["LINK_CLICKS", "ACCOUNT_FEED"];

export class Rollout {
  readonly caller: Caller;
  readonly #workerd: Workerd;
  readonly #ports: Record<Release, number>;

  static async start(): Promise<Rollout> {
    const scripts = {
      previous: await previousRelease(),
      current: await currentRelease(),
      next: await nextRelease(),
    };
    const [previous = 0, current = 0, next = 0] = await freePorts(RELEASES.length);
    const ports = { previous, current, next };
    const workers = [
      objectsWorker(scripts),
      ...RELEASES.map((release) => workerOf(release, scripts[release], ports[release])),
    ];
    const workerd = await Workerd.start(workers, { keepLog: "workers" });
    const account = await newTestAccount({ DB: await workerd.migratedDatabase("current", ["DB"]) });
    return new Rollout(workerd, ports, account.id);
  }

  private constructor(workerd: Workerd, ports: Record<Release, number>, accountId: string) {
    this.#workerd = workerd;
    this.#ports = ports;
    this.caller = { accountId, mode: "live", plan: "premium", scopes: [], origin: "api", rateKey: accountId };
  }

  /** Everything that the Workers and objects have logged. */
  get log(): readonly string[] {
    return this.#workerd.log;
  }

  stop(): Promise<void> {
    return this.#workerd.stop();
  }

  /** @param fields  members by their names on the wire, without times */
  async createControlledLink({ slug, ...fields }: ReturnType<Control["fields"]>): Promise<LinkSnapshot> {
    const members = Object.entries(fields).map(([wire, value]): [string, unknown] => [
      LINK_MEMBER_LIST.find(({ name }) => name === wire)?.field ?? wire,
      value,
    ]);
    return this.createLink([], { url: DESTINATION, ...Object.fromEntries(members) }, slug ?? null);
  }

  async createLink(
    routing: LinkContent["routing"],
    content: Partial<LinkContent> = {},
    slug: string | null = null,
  ): Promise<LinkSnapshot> {
    const members = { ...UNSET_CONTENT, url: "https://example.com/1", routing, ...content };
    const wanted = { ...members, slug, domain: SHORT_DOMAIN };
    const [done] = await createLinks(await this.#env(), this.caller, { items: [wanted] });
    const made = soleOutcome(done);
    if (!("link" in made)) throw new Error("no link");
    return made.link;
  }

  /** Changes the title as the previous release does, which announces the link as it reads it. */
  async changeInPrevious(link: LinkSnapshot): Promise<void> {
    const { DB } = await this.#env();
    const sql = "UPDATE links SET title = 'Changed', revision = revision + 1 WHERE id = ?1 RETURNING disabled_at";
    const disabledAt = await DB.prepare(sql).bind(link.id).first("disabled_at");
    const state = disabledAt === null ? "active" : "disabled";
    await this.call("previous", "tell", { ...asKnown(link), state, revision: link.revision + 1 });
  }

  /** Changes the link's destination as the API does: in the database, and announced by a Worker of this release. */
  async change(release: Release, link: LinkSnapshot): Promise<LinkSnapshot> {
    const changed = { ...link, url: `https://example.com/${link.revision + 1}`, revision: link.revision + 1 };
    const { DB } = await this.#env();
    await DB.prepare("UPDATE links SET url = ?2, revision = ?3 WHERE id = ?1")
      .bind(link.id, changed.url, changed.revision)
      .run();
    await this.call(release, "tell", changed);
    return changed;
  }

  /** From now on objects have the code of these releases. */
  async deploy(links: Release, feeds: Release, link: LinkSnapshot): Promise<void> {
    const worker = await this.#workerd.worker("objects");
    await worker.fetch("http://objects.example/", { method: "POST", body: JSON.stringify({ links, feeds }) });
    await this.#workerd.evict("objects", "LinkClicks", addressObjectName(link.domain, link.slug));
    await this.#workerd.evict("objects", "AccountFeed", feedName(link.accountId, link.mode));
  }

  /** A visit through the Worker of a release. @returns its destination */
  async visit(release: Release, link: LinkSnapshot, city: string, search = ""): Promise<string | null> {
    const headers = { "x-visitor-city": city, "x-visitor-country": "DE" };
    const { status, location } = await this.#request(release, `http://${SHORT_DOMAIN}/${link.slug}?${search}`, headers);
    if (status !== 302) throw new Error(`a visit was answered with ${status}`);
    return location;
  }

  shortUrl(link: LinkSnapshot): string {
    return `http://${SHORT_DOMAIN}/${slugPath(typedSlug(link))}`;
  }

  /** For visits through the Worker of a release. */
  fetchFrom(release: Release): Fetch {
    return async (url, init) => {
      const worker = await this.#workerd.worker(release);
      return (await worker.fetch(url, init as RequestInit<RequestInitCfProperties>)) as unknown as Response;
    };
  }

  /** The answer to a call by the Worker of a release. @throws Unavailable when the object cannot answer */
  async call<T>(release: Release, call: Call, link: LinkSnapshot, question: object = {}): Promise<T> {
    const { status, body } = await this.#request(release, urlOf(release, call), {}, this.#argumentsOf(link, question));
    if (status === 503) throw new UnavailableError(call);
    if (status >= 300) throw new Error(`${call}: ${status} ${body}`);
    return JSON.parse(body) as T;
  }

  /** The whole click log, as the Worker of a release reads it. */
  async clicks(release: Release, link: LinkSnapshot): Promise<ListedClick[]> {
    const clicks: ListedClick[] = [];
    for (let more = true; more;) {
      const page = await this.call<{ clicks: ListedClick[]; hasMore: boolean }>(release, "clicks", link, {
        after: clicks.length,
        limit: 1_000,
      });
      clicks.push(...page.clicks);
      more = page.hasMore;
    }
    return clicks;
  }

  /** Whether the click log has so many clicks. */
  async hasClicks(release: Release, link: LinkSnapshot, count: number): Promise<boolean> {
    const { clicks } = await this.call<{ clicks: unknown[] }>(release, "clicks", link, { after: count - 1, limit: 1 });
    return clicks.length > 0;
  }

  /** Opens the account's stream through the Worker of a release. */
  async openStream(release: Release, link: LinkSnapshot): Promise<StreamFollower> {
    const worker = await this.#workerd.worker(release);
    const request = { method: "POST", body: this.#argumentsOf(link, {}) };
    const response = await worker.fetch(urlOf(release, "stream"), request);
    if (!response.ok || !response.body) throw new Error(`no stream: ${response.status} ${await response.text()}`);
    return new StreamFollower(response.body as ReadableStream<Uint8Array>);
  }

  #argumentsOf(link: LinkSnapshot, question: object): string {
    return JSON.stringify({ link, caller: this.caller, question } as CallArguments);
  }

  /** A request to the Worker of a release, by POST if it has a body. */
  #request(release: Release, url: string, headers: Record<string, string>, body?: string): Promise<HostReply> {
    const request = body === undefined ? { headers } : { method: "POST", headers, body };
    return requestHost(url, request, `127.0.0.1:${this.#ports[release]}`);
  }

  async #env(): Promise<Env> {
    return { ...BINDINGS.bindings, DB: await this.#workerd.database("current") } as unknown as Env;
  }
}

export class UnavailableError extends Error {}

/** Reads an account's stream. */
export class StreamFollower {
  #text = "";
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
    void this.#read();
  }

  /** Cities are not streamed: the ids of events distinguish them. */
  get ids(): string[] {
    return [...this.#text.matchAll(/^data: \{"id":"(evt_[^"]+)"/gm)].map(([, id = ""]) => id);
  }

  get isReady(): boolean {
    return /^id: /m.test(this.#text);
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      this.#text += decoder.decode(value, { stream: true });
    }
  }
}

function objectsWorker(scripts: Record<Release, string>) {
  const main = readFileSync(join(import.meta.dirname, "objects.js"), "utf8");
  return {
    ...BINDINGS,
    name: "objects",
    code: [
      { type: "ESModule" as const, path: "objects.js", contents: main },
      ...RELEASES.map((release) => ({
        type: "ESModule" as const,
        path: `${release}.js`,
        contents: scripts[release],
      })),
    ],
    durableObjects: objectBindings(undefined, OBJECTS),
  };
}

const urlOf = (release: Release, call: string) => `http://${release}.example/.release/${call}`;

function workerOf(release: Release, script: string, port: number) {
  return { ...BINDINGS, name: release, code: script, port, durableObjects: objectBindings("objects", OBJECTS) };
}
