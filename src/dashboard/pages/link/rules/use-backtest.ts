/** Tries rules, saved or not, on the clicks of the last 30 days. */
import type { Backtest, BacktestLink } from "../../../../core/contract/backtests.ts";
import type { Problem } from "../../../../core/errors.ts";
import type { RoutingRule } from "../../../../core/links/routing.ts";
import { ApiError } from "../../../api/api-error.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { useSingleMutation } from "../../../api/mutations.ts";

export interface BacktestState {
  run: () => void;
  isRunning: boolean;
  error: Error | null;
  /** Of the rules that were tried last. */
  result: Backtest | undefined;
  /** Whether other rules were tried than those there are now. */
  isOutdated: boolean;
}

/** @param onProblems  told what the API says of the rules; null when nothing */
export function useBacktest(
  linkId: string,
  routing: RoutingRule[],
  onProblems: (problems: readonly Problem[] | null) => void,
): BacktestState {
  const { api } = useApi();
  const backtest = useSingleMutation({
    mutationFn: (json: BacktestLink) =>
      unwrap<Backtest>(api.links[":id"].backtest.$post({ param: { id: linkId }, json })),
    onSuccess: () => onProblems(null),
    onError: (error) => {
      if (error instanceof ApiError && error.code === "validation_failed") onProblems(error.problems);
    },
  });
  return {
    run: () => backtest.mutate({ routing }),
    isRunning: backtest.isPending,
    error: backtest.error,
    result: backtest.data,
    isOutdated: JSON.stringify(backtest.variables?.routing) !== JSON.stringify(routing),
  };
}
