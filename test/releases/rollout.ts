/**
 * A rollout in workerd: the Workers of three releases side by side, and the objects behind them all, whose release is
 * changed while they run. One database, one storage; nothing listens on a socket.
 */
import { readD1Migrations } from "@cloudflare/vitest-plugin";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { feedName } from "../../src/core/streams/event-log.ts";
import type { ListedClick } from "../../src/core/clicks/link-object-rpc.ts";
import { type LinkSnapshot, addressObjectName } from "../../src/core/links/link-snapshot.ts";
import { createAccount } from "../../src/store/accounts/accounts.ts";
import type { Caller } from "../../src/store/accounts/caller.ts";
import { createLinks, type NewLink } from "../../src/store/links/link-creation.ts";
import { currentRelease, nextRelease, previousRelease } from "./bundle.ts";
import type { Arguments, Call } from "./release-worker.ts";

const MIGRATIONS = resolve(import.meta.dirname, "../../migrations");
const SHORT_DOMAIN = "short.example";
const BASE = "http://base.example";
const SETTLE_MS = 60_000;

export type Release = "previous" | "current" | "next";
const RELEASES: readonly Release[] = ["previous", "current", "next"];

const SETTINGS = {
  compatibilityDate: "2026-10-30",
  compatibilityFlags: ["enable_request_signal"],
  bindings: {
    BASE_URL: BASE,
    SHORT_DOMAIN,
    TEST_SHORT_DOMAIN: `test.${SHORT_DOMAIN}`,
    CDN_URL: `${BASE}/cdn`,
    DEV_VISITOR_HEADERS: "1",
  },
  d1Databases: { DB: "hoplink" },
};

export class Rollout {
  /** All that the Workers and objects have logged. */
  readonly log: string[] = [];
  readonly #miniflare: Miniflare;
  #caller: Caller | undefined;

  static async start(): Promise<Rollout> {
    const scripts = {
      previous: await previousRelease(),
      current: await currentRelease(),
      next: await nextRelease(),
    };
    const rollout = new Rollout(scripts);
    await rollout.#prepare();
    return rollout;
  }

  private constructor(scripts: Record<Release, string>) {
    this.#miniflare = new Miniflare(
      convertV4MiniflareOptions({
        workers: [objectsWorker(scripts), ...RELEASES.map((release) => workerOf(release, scripts[release]))],
        log: new Log(LogLevel.NONE),
        handleStructuredLogs: ({ level, message }) => this.log.push(`${level}: ${message}`),
      }),
    );
  }

  stop(): Promise<void> {
    return this.#miniflare.dispose();
  }

  async createLink(routing: NewLink["routing"]): Promise<LinkSnapshot> {
    const wanted = { url: "https://example.com/1", slug: null, domain: SHORT_DOMAIN, routing, expiresAt: null };
    const [made] = await createLinks(await this.#env(), this.caller, [wanted], null, () => null);
    if (!made || !("link" in made)) throw new Error("no link");
    return { ...made.link, state: "active" };
  }

  /** The link with another destination, as a change leaves it: in the database, and told by a Worker of this release. */
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
    const worker = await this.#worker("objects");
    await worker.fetch("http://objects.example/", { method: "POST", body: JSON.stringify({ links, feeds }) });
    await this.#evict("LinkClicks", addressObjectName(link.domain, link.slug));
    await this.#evict("AccountFeed", feedName(link.accountId, link.mode));
  }

  /** A visit through the Worker of a release. @returns where it leads */
  async visit(release: Release, link: LinkSnapshot, city: string): Promise<string | null> {
    const worker = await this.#worker(release);
    const response = await worker.fetch(`http://${SHORT_DOMAIN}/${link.slug}`, {
      redirect: "manual",
      headers: { "x-visitor-city": city, "x-visitor-country": "DE" },
    });
    await response.arrayBuffer();
    if (response.status !== 302) throw new Error(`a visit was answered with ${response.status}`);
    return response.headers.get("Location");
  }

  /** What a call answers, made by the Worker of a release. @throws Unavailable when the object cannot answer */
  async call<T>(release: Release, call: Call, link: LinkSnapshot, question: object = {}): Promise<T> {
    const response = await this.#post(release, call, link, question);
    if (response.status === 503) throw new UnavailableError(call);
    if (!response.ok) throw new Error(`${call}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
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

  /** Opens the account's stream through the Worker of a release. */
  async openStream(release: Release, link: LinkSnapshot): Promise<StreamFollower> {
    const response = await this.#post(release, "stream", link, {});
    if (!response.ok || !response.body) throw new Error(`no stream: ${response.status} ${await response.text()}`);
    return new StreamFollower(response.body as ReadableStream<Uint8Array>);
  }

  get caller(): Caller {
    if (!this.#caller) throw new Error("no account");
    return this.#caller;
  }

  async #post(release: Release, call: string, link: LinkSnapshot, question: object) {
    const worker = await this.#worker(release);
    const args = { link, caller: this.caller, question } as Arguments;
    return worker.fetch(`${BASE}/.release/${call}`, { method: "POST", body: JSON.stringify(args) });
  }

  #worker(name: string): Promise<Fetcher> {
    return this.#miniflare.getWorker(name) as unknown as Promise<Fetcher>;
  }

  async #evict(className: string, name: string): Promise<void> {
    try {
      await this.#miniflare.unsafeEvictDurableObject("objects", className, { name });
    } catch (error) {
      if (!String(error).includes("not currently running")) throw error;
    }
  }

  async #env(): Promise<Env> {
    return { ...SETTINGS.bindings, DB: await this.#miniflare.getD1Database("DB", "current") } as unknown as Env;
  }

  async #prepare(): Promise<void> {
    const { DB } = await this.#env();
    for (const { queries } of await readD1Migrations(MIGRATIONS)) {
      for (const query of queries) await DB.prepare(query).run();
    }
    const account = await createAccount({ DB }, "rollout@example.com", "premium");
    if (!account) throw new Error("no account");
    this.#caller = {
      accountId: account.id,
      mode: "live",
      plan: "premium",
      scopes: [],
      origin: "api",
      rateKey: account.id,
    };
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

  /** Cities are not streamed: the ids of events tell them apart. */
  get ids(): string[] {
    return [...this.#text.matchAll(/^data: \{"id":"(evt_[^"]+)"/gm)].map(([, id = ""]) => id);
  }

  get isReady(): boolean {
    return /^id: /m.test(this.#text);
  }

  leave(): Promise<void> {
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

export async function eventually(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not in ${SETTLE_MS} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

function objectsWorker(scripts: Record<Release, string>) {
  const main = readFileSync(join(import.meta.dirname, "objects.js"), "utf8");
  return {
    ...SETTINGS,
    name: "objects",
    modules: [
      { type: "ESModule" as const, path: "objects.js", contents: main },
      ...RELEASES.map((release) => ({
        type: "ESModule" as const,
        path: `${release}.js`,
        contents: scripts[release],
      })),
    ],
    durableObjects: {
      LINK_CLICKS: { className: "LinkClicks", useSQLite: true },
      ACCOUNT_FEED: { className: "AccountFeed", useSQLite: true },
    },
  };
}

function workerOf(release: Release, script: string) {
  return {
    ...SETTINGS,
    name: release,
    modules: [{ type: "ESModule" as const, path: `${release}.js`, contents: script }],
    durableObjects: {
      LINK_CLICKS: { className: "LinkClicks", scriptName: "objects", useSQLite: true },
      ACCOUNT_FEED: { className: "AccountFeed", scriptName: "objects", useSQLite: true },
    },
  };
}
