/**
 * Rules that are tried on a million clicks of one link: CPU of the object's process for an answer, and the longest time
 * for which the object records nothing. Also checks that the rules of each revision decide its clicks as before.
 */
import { BACKTEST_PIECE_CLICKS } from "../../src/clicks/backtest.ts";
import { CALL_PIECES } from "../../src/clicks/scan-queue.ts";
import type { BacktestRequest } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import type { OwnRules, TriedRules } from "./backtest-worker.ts";
import { manyRules } from "./decided-clicks.ts";
import { type Figure, median } from "./figures.ts";
import { fill, post, withLogServer } from "./log-object.ts";
import type { Server } from "./server.ts";
import { calibrated, middleOf, stepFigures } from "./step-cpu.ts";

const CLICKS = 1_000_000;
const ROUNDS = 3;
const YEAR = { from: Date.UTC(2025, 0, 1), to: Date.UTC(2026, 0, 1) };
const OBJECT = "backtest";

export async function backtest(): Promise<Figure[]> {
  return withLogServer(async (server) => {
    await fill(server, OBJECT, { clicks: CLICKS, batch: { exactly: 100 }, ...YEAR });
    const first = await tryRules(server, 100);
    const figures: Figure[] = [{ name: "1 million clicks, 100 rules: first answer", value: first.cpuMs, unit: "ms" }];
    for (const [rules, target] of [
      [100, "<= 2000"],
      [1, undefined],
    ] as const) {
      const answers = [];
      for (let round = 0; round < ROUNDS; round++) answers.push(await tryRules(server, rules));
      const name = `1 million clicks, ${rules === 1 ? "one rule" : `${rules} rules`}`;
      const cpu: Figure = { name, value: median(answers.map(({ cpuMs }) => cpuMs)), unit: "ms" };
      figures.push(target === undefined ? cpu : { ...cpu, target });
      const pause = median(answers.map(({ pauseMs }) => pauseMs));
      figures.push({ name: `${name}: longest pause`, value: pause, unit: "ms" });
      figures.push({ name: `${name}: moved`, value: answers[0]?.moved ?? 0, unit: "clicks" });
      figures.push({ name: `${name}: undecided`, value: answers[0]?.undecided ?? 0, unit: "clicks" });
      if (target === undefined) continue;
      const pieces = CLICKS / BACKTEST_PIECE_CLICKS;
      figures.push(...stepFigures("a call that tries rules", middleOf(answers), pieces, CALL_PIECES));
    }
    const own = (await post(server, `/${OBJECT}/own`, {})) as OwnRules;
    figures.push({ name: "clicks that their own rules decided again", value: own.clicks, unit: "clicks" });
    figures.push({ name: "of these in another way", value: own.different, unit: "clicks", target: "<= 0" });
    return figures;
  }, "test/bench/backtest-worker.ts");
}

async function tryRules(server: Server, rules: number) {
  const request: BacktestRequest = {
    url: "https://example.com/",
    routing: manyRules(rules, 5),
    includeBots: true,
    ...YEAR,
  };
  const answer = await calibrated(server, () => post(server, `/${OBJECT}/try`, request) as Promise<TriedRules>);
  const { result, cpuMs, slowness, pauseMs } = answer;
  if (result.kind !== "backtested" || result.clicks !== CLICKS) throw new Error(JSON.stringify(result).slice(0, 500));
  const { moved, undecided } = result;
  return { cpuMs, slowness, pauseMs, moved, undecided };
}
