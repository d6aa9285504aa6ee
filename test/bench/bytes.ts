/** Bytes of a click in its object's database, the summaries and the pages' own overhead included. */
import type { Figure } from "./figures.ts";
import { fill, withLogServer } from "./log-object.ts";

const YEAR = { from: Date.UTC(2025, 0, 1), to: Date.UTC(2026, 0, 1) };
const LONE_CLICKS = 100_000;
const BATCHED_CLICKS = 1_000_000;

export async function bytes(): Promise<Figure[]> {
  return withLogServer(async (server) => {
    const first = await fill(server, "first", { clicks: 1, batch: { exactly: 1 }, ...YEAR });
    const lone = await fill(server, "lone", { clicks: LONE_CLICKS, batch: { exactly: 1 }, ...YEAR });
    const batched = await fill(server, "batched", { clicks: BATCHED_CLICKS, batch: { exactly: 50 }, ...YEAR });
    return [
      { name: "stored for the first click", value: first.bytes, unit: "bytes", target: "<= 12288" },
      { name: "stored for a lone click", value: lone.bytes / lone.clicks, unit: "bytes", target: "<= 160" },
      { name: "stored for a click of 50", value: batched.bytes / batched.clicks, unit: "bytes", target: "<= 60" },
    ];
  });
}
