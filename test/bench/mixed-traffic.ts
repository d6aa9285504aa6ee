/**
 * Traffic of a busy account over 120 links: visits by thousands of clients, changes, creations, statistics, unknown
 * addresses, and clients that follow the live stream. Seeded: every run sends the same requests. Every visit is counted
 * here, for comparison with what the service reports afterwards.
 */
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";

import type { Link } from "../../src/core/contract/links.ts";
import { USER_AGENTS } from "../core/visitors/user-agents.ts";
import { randomElement, seededRandom, randomInteger } from "../support/seeded-random.ts";
import { pause } from "../support/eventually.ts";
import type { HoplinkServer } from "./server.ts";

const LINKS = 120;
const CLIENTS = 3_000;
const REFERRERS = 500;
const STREAMS = 6;
/** The streams break off and reconnect in turn. */
const STREAM_ROTATION_MS = 20_000;
const CONNECTIONS = 32;
const PENDING_MAX = 128;
const TICK_MS = 100;
const COUNTRIES = ["DE", "FR", "JP", "BR", "US", "IN", "GB", "IT"];

/** Occurrences of each among a thousand requests; the rest are visits. */
const CHANGES_PER_MILLE = 20;
const CREATIONS_PER_MILLE = 20;
const READS_PER_MILLE = 30;
const UNKNOWN_PER_MILLE = 10;

export class MixedTraffic {
  /** Requests that were answered as expected. */
  answeredCount = 0;
  /** Requests with another answer, or with none. */
  readonly failures: unknown[] = [];
  readonly #server: HoplinkServer;
  readonly #chance = seededRandom(12);
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #links: Link[] = [];
  readonly #pending = new Set<Promise<void>>();
  readonly #streams: ClientRequest[] = [];
  #visits = 0;
  #opened = 0;
  #streamsChangeAt = 0;

  private constructor(server: HoplinkServer) {
    this.#server = server;
  }

  static async create(server: HoplinkServer): Promise<MixedTraffic> {
    const traffic = new MixedTraffic(server);
    for (let i = 0; i < LINKS; i++) {
      const routing = i % 2 === 0 ? [] : [{ if: { country: ["FR"], device: "mobile" }, to: `https://fr.example/${i}` }];
      traffic.#links.push(await server.api.createLink({ url: `https://example.com/${i}`, routing }));
    }
    return traffic;
  }

  /** Sends this many requests a second for this many seconds, and waits for the last answers. */
  async run(perSecond: number, seconds: number): Promise<void> {
    const startedAt = performance.now();
    for (let due = 0; due < perSecond * seconds;) {
      await pause(TICK_MS);
      const elapsed = Math.min((performance.now() - startedAt) / 1_000, seconds);
      // Requests that cannot be answered in time are skipped: the machine may be slow.
      for (; due < elapsed * perSecond; due++) if (this.#pending.size < PENDING_MAX) this.#send();
      await this.#rotateStreams();
    }
    await Promise.all(this.#pending);
  }

  /** Ends all open connections. */
  stop(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#agent.destroy();
  }

  /** The number of visits that the links' statistics lack, or contain too often. */
  async miscounted(): Promise<number> {
    const ids = this.#links.map(({ id }) => id);
    return Math.abs((await this.#server.api.totalOnceRecorded(ids, this.#visits)) - this.#visits);
  }

  #send(): void {
    const done = this.#randomRequest()
      .then(() => void this.answeredCount++)
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }

  #randomRequest(): Promise<unknown> {
    const drawn = randomInteger(this.#chance, 1_000);
    // Early links are busier than later ones.
    const link = this.#links[Math.floor(this.#chance() ** 2 * LINKS)] ?? randomElement(this.#chance, this.#links);
    if (drawn < CHANGES_PER_MILLE) return this.#change(link);
    if (drawn < CHANGES_PER_MILLE + CREATIONS_PER_MILLE) return this.#create();
    if (drawn < CHANGES_PER_MILLE + CREATIONS_PER_MILLE + READS_PER_MILLE) return this.#readLink(link);
    if (drawn < CHANGES_PER_MILLE + CREATIONS_PER_MILLE + READS_PER_MILLE + UNKNOWN_PER_MILLE)
      return this.#visit(`none-${randomInteger(this.#chance, 1e9)}`, 404);
    return this.#visitLink(link);
  }

  #change({ id }: Link): Promise<unknown> {
    return this.#server.api.call("PATCH", `/v1/links/${id}`, {
      url: `https://example.com/${randomInteger(this.#chance, 1e6)}`,
    });
  }

  /** A new link is visited once. */
  async #create(): Promise<void> {
    const link = await this.#server.api.createLink({ url: "https://example.com/new" });
    await this.#visit(link.slug, 302);
  }

  #readLink({ id }: Link): Promise<unknown> {
    const question = randomElement(this.#chance, [
      "stats?interval=minute",
      "stats?group_by=referrer",
      "clicks?limit=20",
      "",
    ]);
    return this.#server.api.call("GET", `/v1/links/${id}/${question}`.replace(/\/$/, ""));
  }

  async #visitLink({ slug }: Link): Promise<void> {
    await this.#visit(slug, 302);
    this.#visits++;
  }

  #visit(slug: string, status: number): Promise<void> {
    const client = randomInteger(this.#chance, CLIENTS);
    const { userAgent = "" } = USER_AGENTS[client % USER_AGENTS.length] ?? {};
    const headers = {
      "User-Agent": userAgent.replace(/\d+(?=\D*$)/, String(client)),
      Referer: `https://site-${randomInteger(this.#chance, REFERRERS)}.example/page`,
      "X-Visitor-Country": randomElement(this.#chance, COUNTRIES),
      "CF-Connecting-IP": `10.0.${client >> 8}.${client & 255}`,
    };
    return new Promise((done, failed) => {
      const sent = request(`${this.#server.url}/${slug}`, { agent: this.#agent, headers }, (response) => {
        response.resume().once("end", () => {
          if (response.statusCode === status) done();
          else failed(new Error(`a visit was answered with ${response.statusCode}`));
        });
      });
      sent.once("error", failed).end();
    });
  }

  /** Opens all streams at first, then reopens them in turn. */
  async #rotateStreams(): Promise<void> {
    const now = performance.now();
    if (this.#streams.length === STREAMS && now < this.#streamsChangeAt) return;
    this.#streamsChangeAt = now + STREAM_ROTATION_MS;
    do await this.#openStream(this.#opened++ % STREAMS).catch((error: unknown) => void this.failures.push(error));
    while (this.#streams.length < STREAMS);
  }

  /** Every other one follows the whole account, the rest a link each. */
  async #openStream(place: number): Promise<void> {
    this.#streams[place]?.destroy();
    const query = place % 2 === 0 ? "" : `?link_id=${this.#links[place]?.id}`;
    const headers = { Authorization: `Bearer ${this.#server.key}` };
    const sent = request(`${this.#server.url}/v1/events/stream${query}`, { agent: false, headers });
    this.#streams[place] = sent;
    const response = await new Promise<IncomingMessage>((done, failed) => {
      sent.once("response", done).on("error", failed).end();
    });
    response.on("error", () => {}).resume();
    // A slot that was just released may still be taken.
    if (response.statusCode !== 200 && response.statusCode !== 429) {
      this.failures.push(new Error(`a stream was answered with ${response.statusCode}`));
    }
  }
}
