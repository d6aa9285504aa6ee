/**
 * How often visits to many links read the database and call links' objects, compared with the simulation of
 * `npm run simulate` for the same visits: one isolate, links by Zipf's law.
 */
import { localDelayMs } from "../../src/core/clicks/protocol/call-pacing.ts";
import { bundle } from "../support/bundle.ts";
import { seededRandom } from "../support/seeded-random.ts";
import type { Figure } from "./figures.ts";
import { type HoplinkServer, startHoplink } from "./server.ts";
import { newLinkCache, SimulatedSender, visitCache } from "./simulation/isolate.ts";
import { type Traffic, USUAL_TRAFFIC } from "./simulation/traffic.ts";
import { VisitorStream } from "./simulation/visitor-stream.ts";
import { usageOf } from "./usage.ts";

const SECONDS = 40;
/** A link's row and its entry in the index of addresses. */
const ROWS_A_READ = 2;
const TRAFFIC: Traffic = { ...USUAL_TRAFFIC, links: 500, redirectsPerSecond: 100, places: 1, isolates: 1 };

export async function reads(): Promise<Figure[]> {
  const server = await startHoplink(await bundle("test/bench/usage-worker.ts"));
  try {
    await server.api.createLinks(Array.from({ length: TRAFFIC.links }, (_, i) => slugOf(i + 1)));
    const visitors = new Visitors(server);
    await visitors.visitUntil(TRAFFIC.cacheSeconds);
    const from = visitors.visits.length;
    const { rowsRead, calls, callsMs } = await usageOf(server, () =>
      visitors.visitUntil(TRAFFIC.cacheSeconds + SECONDS),
    );
    const simulated = simulate(visitors.visits, from, Math.round(callsMs / calls));
    const visits = visitors.visits.length - from;
    const each = (name: string, value: number) => ({ name, value: value / visits, unit: "a visit" });
    const measured = rowsRead / ROWS_A_READ;
    return [
      each("500 links by Zipf's law, 100 visits/s: reads", measured),
      each("the same visits simulated: reads", simulated.reads),
      { name: "reads, off by", value: Math.abs(measured / simulated.reads - 1), unit: "of it", target: "<= 0.05" },
      each("500 links by Zipf's law, 100 visits/s: calls to objects", calls),
      each("the same visits simulated: calls to objects", simulated.calls),
    ];
  } finally {
    await server.stop();
  }
}

interface Visit {
  rank: number;
  /** When it was sent, ms. */
  at: number;
}

/** @param from  the first visit that counts */
function simulate(visits: readonly Visit[], from: number, callMs: number): { reads: number; calls: number } {
  const startsAt = visits[from]?.at ?? NaN;
  const counted = { reads: 0, calls: 0 };
  const cache = newLinkCache();
  const sender = new SimulatedSender((_, at) => (counted.calls += at >= startsAt ? 1 : 0));
  for (const { rank, at } of visits) {
    sender.click(rank, at, callMs + localDelayMs(1, 0));
    if (visitCache(cache, rank, at, TRAFFIC) !== "hit" && at >= startsAt) counted.reads++;
  }
  return counted;
}

/** Visitors who arrive on schedule, whether earlier ones were answered or not. */
class Visitors {
  readonly visits: Visit[] = [];
  readonly #url: string;
  readonly #startedAt = performance.now();
  readonly #stream = new VisitorStream(TRAFFIC, seededRandom(11));

  constructor({ url }: HoplinkServer) {
    this.#url = url;
    this.#stream.next();
  }

  async visitUntil(second: number): Promise<void> {
    const answers: Promise<void>[] = [];
    for (; this.#stream.at < second * 1_000; this.#stream.next()) {
      const waitMs = this.#startedAt + this.#stream.at - performance.now();
      if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
      this.visits.push({ rank: this.#stream.rank, at: Math.floor(performance.now()) });
      answers.push(this.#visit(this.#stream.rank));
    }
    await Promise.all(answers);
  }

  async #visit(rank: number): Promise<void> {
    const response = await fetch(`${this.#url}/${slugOf(rank)}`, { redirect: "manual" });
    await response.arrayBuffer();
    if (response.status !== 302) throw new Error(`/${slugOf(rank)}: ${response.status}`);
  }
}

function slugOf(rank: number): string {
  return `read-${rank}`;
}
