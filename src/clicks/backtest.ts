/** Tries other rules on the clicks of a log. Writes nothing. Loaded only for backtests. */
import { BacktestRun, type BacktestData, type LoggedLink, type TriedRules } from "../core/backtest/backtest.ts";
import type { ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import { PIECE_CLICKS, readAll, type Unfinished, type WholeScan } from "./log-scan.ts";

/**
 * Takes about 20 ms with a hundred rules.
 * @internal
 */
export const BACKTEST_PIECE_CLICKS = PIECE_CLICKS / 4;

interface BacktestScan extends WholeScan {
  logged: LoggedLink;
  tried: TriedRules;
  includeBots: boolean;
}

export async function scanBacktest(scan: BacktestScan): Promise<BacktestData | Unfinished> {
  const { logged, tried, includeBots, range } = scan;
  const backtest = new BacktestRun(tried, logged, includeBots, range.first);
  const consumer = { add: (clicks: ScannedClicks) => backtest.add(clicks), pieceClicks: BACKTEST_PIECE_CLICKS };
  return (await readAll(scan, consumer)) ?? backtest.result();
}
