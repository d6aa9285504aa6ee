/**
 * 4.6, 6 The live stream through the npm client `eventsource`, while connections break, objects are evicted and the
 * server is killed: every event arrives once, in the order of its link, and the sum of events equals the statistics.
 */
import { EventSource } from "eventsource";
import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";

import { ClickEvent } from "../../src/core/contract/streams.ts";
import type { Link } from "../../src/core/contract/links.ts";
import type { Click } from "../../src/core/contract/clicks.ts";
import { QrCode } from "../../src/core/contract/qr-codes.ts";
import { NONE_KEY } from "../../src/core/clicks/facts.ts";
import type { Grouping } from "../../src/core/clicks/counting/groupings.ts";
import { BASE32_ALPHABET } from "../../src/core/identifiers.ts";
import { randomElement, seededRandom } from "../support/seeded-random.ts";
import { listenOnFreePort } from "../support/ports.ts";
import { shortOrLong } from "./suite-length.ts";
import { eventually, pause } from "../support/eventually.ts";
import { FaultyServer } from "./faulty-server.ts";
import { ROUTING, DEFAULT_URL, Visitors } from "./visitors.ts";

const LINKS = 20;
const CLICKS = shortOrLong(1_000, 20_000);
const CUTS = shortOrLong(16, 200);
/** The number of cuts that kill the whole server. */
const KILLS = shortOrLong(1, 5);
const CLICKS_AT_ONCE = 20;
/** The server requests two seconds; the proxy requests less, in the same number of digits. */
const RETRY = ["retry: 2000", "retry: 0050"] as const;

/** All fields of an event, by the groupings that count it. */
const GROUPINGS = {
  country: ({ country }) => country,
  device: ({ device }) => device,
  referrer: ({ referrer }) => referrer,
  rule: ({ rule }) => rule,
  destination: ({ destination }) => destination,
  source: ({ source }) => source,
  qr: ({ qr_id }) => qr_id ?? NONE_KEY,
} satisfies Partial<Record<Grouping, (event: ClickEvent) => string>>;
/** The share of visits to a link that scan its QR code. */
const SCANS = 0.3;
const LAST_REFERRER = "last.example";
const AGENTS = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "curl/8.9.1",
];

/** Sits between clients and server, to break connections as networks do. */
class Proxy {
  port = 0;
  readonly #sockets = new Set<Socket>();
  readonly #listener;

  static async start(to: number): Promise<Proxy> {
    const proxy = new Proxy(to);
    proxy.port = await listenOnFreePort(proxy.#listener);
    return proxy;
  }

  private constructor(to: number) {
    this.#listener = createServer((client) => {
      const server = connect(to, "127.0.0.1");
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on("error", () => {});
        socket.once("close", () => {
          this.#sockets.delete(socket);
          client.destroy();
          server.destroy();
        });
      }
      client.pipe(server);
      server.on("data", (data: Buffer) => {
        const at = data.indexOf(RETRY[0]);
        if (at >= 0) data.write(RETRY[1], at);
        client.write(data);
      });
    });
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.cut();
    this.#listener.close();
  }
}

/** A client as a customer writes one. */
class Client {
  readonly events: ClickEvent[] = [];
  readonly gaps: string[] = [];
  readonly proxy: Proxy;
  opened = 0;
  readonly #source: EventSource;

  constructor(proxy: Proxy, host: string, key: string, search: string) {
    this.proxy = proxy;
    this.#source = new EventSource(`http://127.0.0.1:${proxy.port}/v1/events/stream${search}`, {
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${key}`, Host: host } }),
    });
    this.#source.addEventListener("open", () => this.opened++);
    this.#source.addEventListener("click", ({ data }) => this.events.push(ClickEvent.parse(JSON.parse(data))));
    this.#source.addEventListener("gap", ({ data }) => this.gaps.push(data));
  }

  get isGivenUp(): boolean {
    return this.#source.readyState === EventSource.CLOSED;
  }

  close(): void {
    this.#source.close();
    this.proxy.stop();
  }
}

let server: FaultyServer;
let visitors: Visitors;

beforeAll(async () => {
  server = await FaultyServer.start();
  visitors = new Visitors(server);
});

afterAll(async () => {
  visitors.close();
  await server.stop();
});

test(`${CLICKS} clicks on ${LINKS} links, ${CUTS} cuts, ${KILLS} of them of the whole server`, async () => {
  const chance = seededRandom(5);
  const links: Link[] = [];
  const tokens = new Map<Link, string>();
  for (let i = 0; i < LINKS; i++) {
    const link = await server.api.createLink({ url: DEFAULT_URL, routing: ROUTING });
    const { id } = QrCode.parse(
      await server.api.call("POST", "/v1/qr", { link_id: link.id, format: "svg", size: 128 }),
    );
    links.push(link);
    tokens.set(link, id.slice("qr_".length));
  }
  const [port = 0] = server.ports;
  const [first] = links;
  if (!first) throw new Error("no link");
  const searches = ["", "?include_bots=true", `?link_id=${first.id}`];
  const clients = await Promise.all(
    searches.map(async (search) => new Client(await Proxy.start(port), server.host, server.key, search)),
  );
  const [people, all, own] = clients;
  if (!people || !all || !own) throw new Error("no clients");
  try {
    await eventually(() => clients.every(({ opened }) => opened > 0), "all streams are open");
    const startedAt = performance.now();
    let visited = 0;
    const visiting = Array.from({ length: CLICKS_AT_ONCE }, async () => {
      while (visited < CLICKS) {
        const number = visited++;
        const headers = {
          "User-Agent": AGENTS[number % AGENTS.length] ?? "",
          "X-Visitor-Country": randomElement(chance, ["DE", "FR", "US", "JP"]),
          Referer: `https://site-${number % 50}.example/`,
        };
        const link = links[number % LINKS] ?? first;
        const visit = await visitors.visit(link, 0, headers, chance() < SCANS ? `?qr=${tokens.get(link)}` : "");
        await pause(visit.response ? shortOrLong(5, 60) : 100); // The rate, with a pause for a server that restarts.
      }
    });
    let broken = 0;
    const breakLine = async () => {
      const client = randomElement(chance, clients);
      const { opened } = client;
      client.proxy.cut();
      broken++;
      await eventually(() => client.opened > opened, "the client is back");
    };
    const cuts = [
      breakLine,
      () => server.evictFeed(),
      breakLine,
      () => server.evict(randomElement(chance, links)),
      () => server.evictFeed().then(breakLine),
    ];
    const cutting = (async () => {
      for (let cut = 1; cut <= CUTS; cut++) {
        await pause(chance() * shortOrLong(200, 500)); // At any moment.
        if (cut % Math.floor(CUTS / KILLS) === 0) await server.kill();
        else await cuts[cut % cuts.length]?.();
      }
    })();
    await Promise.all([...visiting, cutting]);
    await server.waitForBackgroundWork();
    const readLogs = async () =>
      new Map(await Promise.all(links.map(async (link) => [link.id, await server.api.clicks(link)] as const)));
    let logs = await readLogs();
    const logged = [...logs.values()].flat();
    const humanOf = (clicks: readonly Click[]) => clicks.filter((click) => click.class === "human");
    const due = [humanOf(logged).length, logged.length, humanOf(logs.get(first.id) ?? []).length];
    await eventually(
      () => clients.every(({ events }, i) => events.length >= (due[i] ?? 0)),
      `${due.join(", ")} events`,
    );
    // Events arrive in order: after the event of one more click, no unexpected one can follow.
    await visitors.visit(first, 0, { "User-Agent": AGENTS[0] ?? "", Referer: `https://${LAST_REFERRER}/` });
    const hasLast = ({ events }: Client) => events.some(({ referrer }) => referrer === LAST_REFERRER);
    await eventually(() => clients.every(hasLast), "the last event");
    await server.waitForBackgroundWork();
    logs = await readLogs();
    console.log(
      `${logged.length} clicks, ${all.events.length} events in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s;`,
      `${clients.map(({ opened }) => opened - 1).join(", ")} reconnections`,
    );
    expect(clients.map(({ isGivenUp, gaps }) => [isGivenUp, gaps])).toEqual(clients.map(() => [false, []]));
    expect(clients.reduce((sum, { opened }) => sum + opened - 1, 0)).toBeGreaterThanOrEqual(broken);
    for (const link of links) {
      const clicks = logs.get(link.id) ?? [];
      const human = humanOf(clicks);
      expect(placesOf(all.events, link)).toEqual(clicks.map(({ seq }) => seq));
      expect(placesOf(people.events, link)).toEqual(human.map(({ seq }) => seq));
      expect(placesOf(own.events, link)).toEqual(link === first ? human.map(({ seq }) => seq) : []);
      for (const [grouping, keyOf] of Object.entries(GROUPINGS)) {
        const events = people.events.filter(({ link_id }) => link_id === link.id);
        const counts = [...Map.groupBy(events, keyOf)].map(([key, { length }]) => [key, length]);
        const { buckets } = await server.api.stats(link, grouping as Grouping);
        expect(Object.fromEntries(counts), grouping).toEqual(
          Object.fromEntries(buckets.map(({ key, clicks: count }) => [key, count])),
        );
      }
    }
  } finally {
    for (const client of clients) client.close();
  }
});

/** Sequence numbers of a link's events, in order of arrival. */
function placesOf(events: readonly ClickEvent[], link: Link): number[] {
  return events.filter(({ link_id }) => link_id === link.id).map(({ id }) => placeOf(id));
}

/** The last eight characters of an event's id, Crockford's base 32. */
function placeOf(id: string): number {
  return Array.from(id.slice(-8)).reduce((seq, char) => seq * 32 + BASE32_ALPHABET.indexOf(char), 0);
}
