/**
 * Statistics of one link with ten thousand, one million and ten million clicks: the time inside the object, for every
 * grouping over all time, a ragged month and a ragged hour, and for the longest series. Size must hardly matter.
 */
import { GROUPINGS } from "../../src/core/clicks/counting/groupings.ts";
import type { StatsRequest } from "../../src/core/clicks/counting/stats.ts";
import { type Figure, median, formatValue } from "./figures.ts";
import { fill, measure, withLogServer } from "./log-object.ts";
import type { TimedRequest } from "./log-worker.ts";
import type { Server } from "./server.ts";

const ROUNDS = 5;
const BATCH_MAX = 100;
const [SMALL, MIDDLE, LARGE] = [10_000, 1_000_000, 10_000_000];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR = { from: Date.UTC(2025, 0, 1), to: Date.UTC(2026, 0, 1) };
/** Begin and end in the middle of a day, a minute and a second. */
const RAGGED = Date.UTC(2025, 5, 17, 15, 23, 41, 397);
const MONTH = { from: RAGGED, to: RAGGED + 30 * DAY_MS };
const HOUR = { from: RAGGED, to: RAGGED + HOUR_MS };
const DAY = { from: RAGGED, to: RAGGED + DAY_MS };

/** Queries by name. */
const REQUESTS = new Map<string, StatsRequest>([
  ...GROUPINGS.flatMap((groupBy): [string, StatsRequest][] => [
    [`${groupBy}, all`, statsRequest({ groupBy, ...YEAR })],
    [`${groupBy}, month`, statsRequest({ groupBy, ...MONTH })],
    [`${groupBy}, hour`, statsRequest({ groupBy, ...HOUR })],
  ]),
  ["days of a year", statsRequest({ ...YEAR, interval: "day" })],
  ["hours of a month", statsRequest({ ...MONTH, interval: "hour" })],
  ["minutes of a day", statsRequest({ ...DAY, interval: "minute" })],
]);

export async function stats(): Promise<Figure[]> {
  return withLogServer(async (server) => {
    const small = await timesAt(server, SMALL);
    const middle = await timesAt(server, MIDDLE);
    const large = await timesAt(server, LARGE);
    console.error(details(small, middle, large));
    const growth = [...large].map(([name, { ms }]) => ms - 3 * (small.get(name)?.ms ?? NaN));
    return [
      { name: "stats, worst at 10 million clicks", value: worst(large), unit: "ms", target: "<= 25" },
      { name: "stats, worst at 1 million clicks", value: worst(middle), unit: "ms" },
      { name: "stats, worst at 10 thousand clicks", value: worst(small), unit: "ms" },
      { name: "stats, 10 million less 3 x 10 thousand", value: Math.max(...growth), unit: "ms", target: "<= 5" },
      { name: "stats, most rows read at 10 million", value: mostRows(large), unit: "rows" },
    ];
  });
}

async function timesAt(server: Server, clicks: number): Promise<Map<string, TimedRequest>> {
  const startedAt = performance.now();
  const object = `clicks-${clicks}`;
  const { bytes } = await fill(server, object, { clicks, batch: { upTo: BATCH_MAX }, ...YEAR });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.error(`${clicks} clicks: ${formatValue(bytes / clicks)} bytes each, loaded in ${seconds} s`);
  const rounds: Map<string, TimedRequest[]> = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, asked] of REQUESTS) {
      rounds.set(name, [...(rounds.get(name) ?? []), await measure(server, object, asked)]);
    }
  }
  return new Map(
    [...rounds].map(([name, timed]) => [
      name,
      { ms: median(timed.map(({ ms }) => ms)), rowsRead: median(timed.map(({ rowsRead }) => rowsRead)) },
    ]),
  );
}

function statsRequest(asked: Partial<StatsRequest> & { from: number; to: number }): StatsRequest {
  return { groupBy: "country", interval: null, timezone: "Europe/Zurich", includeBots: false, ...asked };
}

function worst(times: Map<string, TimedRequest>): number {
  return Math.max(...[...times.values()].map(({ ms }) => ms));
}

function mostRows(times: Map<string, TimedRequest>): number {
  return Math.max(...[...times.values()].map(({ rowsRead }) => rowsRead));
}

function details(...sizes: Map<string, TimedRequest>[]): string {
  const cell = (timed: TimedRequest | undefined) =>
    `${formatValue(timed?.ms ?? NaN)} ms ${timed?.rowsRead} rows`.padEnd(20);
  return [...REQUESTS.keys()]
    .map((name) => name.padEnd(22) + sizes.map((times) => cell(times.get(name))).join(""))
    .join("\n");
}
