/** Counts the past clicks that changed links would have sent elsewhere. */
import type { BacktestLink } from "../api-types.ts";
import { HoplinkConnectionError, HoplinkError } from "../errors.ts";
import type { Hoplink } from "../index.ts";
import { inParallel } from "./situation.ts";
import { type BacktestOutcome, type Change, redirects } from "./plan.ts";

/** Each one reads 30 days of the link's clicks. */
const BACKTESTS_MAX = 100;
const BACKTESTS_AT_ONCE = 4;

/** @param onDone  called after each, with the number completed and the total */
export async function withBacktests(
  hoplink: Hoplink,
  changes: readonly Change[],
  { signal, onDone }: { signal: AbortSignal; onDone: (done: number, all: number) => void },
): Promise<Change[]> {
  const tried = new Set(changes.filter(redirects).slice(0, BACKTESTS_MAX));
  let done = 0;
  return inParallel(BACKTESTS_AT_ONCE, changes, async (change) => {
    if (!redirects(change)) return change;
    if (!tried.has(change)) return { ...change, backtest: { notTried: `limited to ${BACKTESTS_MAX} links` } };
    const backtest = await tryOn(hoplink, change, signal);
    onDone(++done, tried.size);
    return { ...change, backtest };
  });
}

async function tryOn(hoplink: Hoplink, { current, members }: Change, signal: AbortSignal): Promise<BacktestOutcome> {
  const after = Object.fromEntries(members.map(({ member, after: value }) => [member, value]));
  const body = {
    url: after["url"] ?? current.url,
    routing: after["routing"] ?? ("routing" in after ? [] : current.routing),
  };
  try {
    const { clicks, moved, undecided, from, to } = await hoplink.links.backtest(current.id, body as BacktestLink, {
      signal,
    });
    return { clicks, moved, undecided, from, to };
  } catch (error) {
    // The plan is valid without it.
    if (error instanceof HoplinkError || error instanceof HoplinkConnectionError) return { notTried: error.message };
    throw error;
  }
}
