/** Redirects under load, as ratios to a bare Worker in the same rounds; every click must be counted. */
import { type Figure, median } from "./figures.ts";
import { cpuRatio, latencyRatio, MANY_ROUNDS, type RoundPair, rounds, throughputRatio } from "./rounds.ts";
import { startFloor, startHoplink } from "./server.ts";

const SECONDS = 4;
/** Shorter, so that fewer of them include a pause of the runtime. */
const STEADY_SECONDS = 2.5;

const RULES = [
  { if: { country: ["FR", "ES", "IT"], device: "mobile" }, to: "https://example.com/south" },
  { if: { language: "ja" }, to: "https://example.com/ja" },
  { if: { referrer: "news.example" }, to: "https://example.com/news" },
  { if: { os: "windows", browser: "edge", not: { country: "DE" } }, to: "https://example.com/edge" },
  { if: { country: "DE", device: "mobile" }, to: "https://example.com/de-mobile" },
];

export async function hot(script: string): Promise<Figure[]> {
  const floor = await startFloor();
  const ours = await startHoplink(script);
  try {
    const link = await ours.api.createLink({ url: "https://example.com/", slug: "hot", routing: RULES });
    let total = 0;
    const measure = async (connections: number, rate: number | null = null, seconds = SECONDS, count?: number) =>
      rounds(
        floor,
        ours,
        () => ({ paths: ["/hot"], connections, until: { seconds }, rate }),
        async ({ visits }) => {
          total += visits;
          const counted = await ours.api.totalOnceRecorded([link.id], total);
          if (counted !== total) throw new Error(`hot: ${counted} clicks counted of ${total}`);
        },
        count,
      );
    const at32 = await measure(32, null, SECONDS, MANY_ROUNDS);
    const at1 = await measure(1);
    const at256 = await measure(256);
    const steady = await measure(32, 1_000, STEADY_SECONDS, MANY_ROUNDS);
    return [
      { name: "floor, 32 connections", value: median(at32.map(({ floor }) => floor.perSecond)), unit: "req/s" },
      { name: "generator's limit", value: generatorLimit(at32), unit: "req/s" },
      { name: "hot, 32 connections", value: throughputRatio(at32), unit: "of floor", target: ">= 0.85" },
      { name: "hot, 32 connections, CPU", value: cpuRatio(at32), unit: "of floor", target: "<= 1.15" },
      { name: "hot, 256 connections", value: throughputRatio(at256), unit: "of floor" },
      { name: "hot, 1 connection, p50", value: latencyRatio(at1, 0.5), unit: "of floor", target: "<= 1.4" },
      { name: "hot, 1,000 req/s, p99", value: latencyRatio(steady, 0.99), unit: "of floor", target: "<= 1.5" },
      { name: "hot, clicks counted", value: total, unit: "all" },
    ];
  } finally {
    await Promise.all([floor.stop(), ours.stop()]);
  }
}

/** The rate that the generator could send if its core were fully busy. */
function generatorLimit(pairs: readonly RoundPair[]): number {
  return median(pairs.map(({ floor }) => floor.perSecond / floor.generatorUtilization));
}
