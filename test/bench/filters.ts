/**
 * Statistics of one link with a million clicks under filters and by visitor: CPU of the object's process for an answer,
 * and the longest time for which the object records nothing. Also the CPU of the longest call in which an object reads a
 * part of such a scan.
 */
import { PIECE_CLICKS, PIECE_PACKED_BLOCKS } from "../../src/clicks/log-scan.ts";
import { CALL_PIECES } from "../../src/clicks/scan-queue.ts";
import { BLOCK_CLICKS } from "../../src/clicks/summaries.ts";
import type { StatsRequest } from "../../src/core/clicks/counting/stats.ts";
import { type Figure, median } from "./figures.ts";
import { fill, scan, withLogServer } from "./log-object.ts";
import type { Server } from "./server.ts";
import { calibrated, type CalibratedCpu, middleOf, slower, stepFigures } from "./step-cpu.ts";

const CLICKS = 1_000_000;
const ROUNDS = 5;
const YEAR = { from: Date.UTC(2025, 0, 1), to: Date.UTC(2026, 0, 1) };

const QUESTION: StatsRequest = {
  groupBy: "country",
  ...YEAR,
  interval: null,
  timezone: "Europe/Zurich",
  includeBots: false,
  filters: [
    { grouping: "device", values: ["mobile"] },
    { grouping: "referrer", values: ["direct", "berlinber.com"] },
  ],
};

const QUESTIONS: [name: string, request: StatsRequest, target?: string][] = [
  ["two filters", QUESTION, "<= 300"],
  ["two filters, by rule", { ...QUESTION, groupBy: "rule" }, "<= 300"],
  ["two filters, by city and day", { ...QUESTION, groupBy: "city", interval: "day" }, "<= 300"],
  ["unique visitors by city and day", { ...QUESTION, groupBy: "city", interval: "day", filters: [], uniques: true }],
];

export async function filters(): Promise<Figure[]> {
  return withLogServer(async (server) => {
    const { bytes, clicks } = await fill(server, "filtered", { clicks: CLICKS, batch: { upTo: 100 }, ...YEAR });
    const figures: Figure[] = [
      { name: "stored for a click before the first question", value: bytes / clicks, unit: "bytes" },
    ];
    const first = await answerOf(server, QUESTION);
    figures.push({ name: "1 million clicks, first question, which packs them", value: first.cpuMs, unit: "ms" });
    figures.push({ name: "1 million clicks, first question: longest pause", value: first.pauseMs, unit: "ms" });
    let slowest: CalibratedCpu = { cpuMs: 0, slowness: 1 };
    for (const [name, request, target] of QUESTIONS) {
      const answers = [];
      for (let round = 0; round < ROUNDS; round++) answers.push(await answerOf(server, request));
      const cpu = { name: `1 million clicks, ${name}`, value: median(answers.map(({ cpuMs }) => cpuMs)), unit: "ms" };
      const pause = median(answers.map(({ pauseMs }) => pauseMs));
      // Unique visitors are counted in a second reading of all clicks.
      const readings = answers.map(({ cpuMs, slowness }) => ({ cpuMs: cpuMs / (request.uniques ? 2 : 1), slowness }));
      slowest = slower(slowest, middleOf(readings));
      figures.push(target === undefined ? cpu : { ...cpu, target });
      figures.push({ name: `1 million clicks, ${name}: longest pause`, value: pause, unit: "ms" });
    }
    return [
      ...figures,
      ...stepFigures("a call that packs", first, CLICKS / (PIECE_PACKED_BLOCKS * BLOCK_CLICKS), CALL_PIECES),
      ...stepFigures("a call that counts", slowest, CLICKS / PIECE_CLICKS, CALL_PIECES),
    ];
  });
}

function answerOf(server: Server, request: StatsRequest) {
  return calibrated(server, () => scan(server, "filtered", request));
}
