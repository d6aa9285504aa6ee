/** Tries other rules on the clicks of a log. Writes nothing. Loaded only for that. */
import { Backtest, type BacktestData, type LoggedLink, type TriedRules } from "../core/backtest/backtest.ts";
import { type LogScan, readAll, type Unfinished } from "./log-scan.ts";

interface BacktestScan extends LogScan {
  logged: LoggedLink;
  tried: TriedRules;
  includeBots: boolean;
}

export async function scanBacktest(scan: BacktestScan): Promise<BacktestData | Unfinished> {
  const { logged, tried, includeBots, range } = scan;
  const backtest = new Backtest(tried, logged, includeBots, range.first);
  return (await readAll(scan, backtest)) ?? backtest.result();
}
