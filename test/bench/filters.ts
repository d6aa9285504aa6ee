/**
 * Statistics of one link with a million clicks under filters and by visitor: CPU of the object's process for an answer,
 * and the longest time for which the object records nothing.
 */
import type { StatsRequest } from "../../src/core/clicks/counting/stats.ts";
import { type Figure, median } from "./figures.ts";
import { fill, scan, withLogServer } from "./log-object.ts";
import { cpuSeconds, type Server } from "./server.ts";

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
    for (const [name, request, target] of QUESTIONS) {
      const answers = [];
      for (let round = 0; round < ROUNDS; round++) answers.push(await answerOf(server, request));
      const cpu = { name: `1 million clicks, ${name}`, value: median(answers.map(({ cpuMs }) => cpuMs)), unit: "ms" };
      const pause = median(answers.map(({ pauseMs }) => pauseMs));
      figures.push(target === undefined ? cpu : { ...cpu, target });
      figures.push({ name: `1 million clicks, ${name}: longest pause`, value: pause, unit: "ms" });
    }
    return figures;
  });
}

async function answerOf(server: Server, request: StatsRequest): Promise<{ cpuMs: number; pauseMs: number }> {
  const before = cpuSeconds(server.pid);
  const { pauseMs } = await scan(server, "filtered", request);
  return { cpuMs: (cpuSeconds(server.pid) - before) * 1_000, pauseMs };
}
