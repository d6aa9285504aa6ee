/** Tries the rules of the editor on past clicks, before they are saved: how many would have gone where. */
import { Alert, Group, Loader, Stack, Text } from "@mantine/core";

import type { Backtest, BacktestLink } from "../../../../core/contract/backtests.ts";
import type { Problem } from "../../../../core/errors.ts";
import type { RoutingRule } from "../../../../core/links/routing.ts";
import { ApiError } from "../../../api/api-error.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { useSingleMutation } from "../../../api/mutations.ts";
import { TitledCard } from "../../../components/card.tsx";
import { ErrorState } from "../../../components/states.tsx";
import { PlainButton } from "../../../components/buttons.tsx";
import { backtestTexts as texts } from "../../../texts/backtest.ts";
import { BacktestResult, type BacktestResultProps } from "./backtest-result.tsx";

interface BacktestPanelProps {
  linkId: string;
  /** As they are in the editor. */
  routing: RoutingRule[];
  isDraft: boolean;
  /** What the API says of the rules; null when nothing. */
  onProblems: (problems: readonly Problem[] | null) => void;
}

export function BacktestPanel({ linkId, routing, isDraft, onProblems }: BacktestPanelProps) {
  const { mutate, isPending, error, data, variables } = useBacktest(linkId, onProblems);
  const run = () => mutate({ routing });
  const isOutdated = JSON.stringify(variables?.routing) !== JSON.stringify(routing);
  return (
    <TitledCard title={texts.title} description={isDraft ? texts.hintDraft : texts.hint}>
      <Group>
        <PlainButton onClick={run} loading={isPending}>
          {texts.submit}
        </PlainButton>
      </Group>
      <div aria-live="polite" aria-busy={isPending}>
        {isPending && (
          <Group gap="xs" wrap="nowrap">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{texts.running}</Text>
          </Group>
        )}
        {error &&
          (isRefused(error) ? (
            <Alert color="red">{texts.wrongRules}</Alert>
          ) : (
            <ErrorState error={error} title={texts.failed} retry={run} />
          ))}
        {data && <Outcome linkId={linkId} result={data} routing={routing} isOutdated={isOutdated} />}
      </div>
    </TitledCard>
  );
}

/** Tries rules, saved or not, on the clicks of the last 30 days. */
function useBacktest(linkId: string, onProblems: BacktestPanelProps["onProblems"]) {
  const { api } = useApi();
  return useSingleMutation({
    mutationFn: (json: BacktestLink) =>
      unwrap<Backtest>(api.links[":id"].backtest.$post({ param: { id: linkId }, json })),
    onSuccess: () => onProblems(null),
    onError: (error) => isRefused(error) && onProblems(error.problems),
  });
}

function isRefused(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "validation_failed";
}

interface OutcomeProps extends BacktestResultProps {
  /** Other rules were tried than those there are now. */
  isOutdated: boolean;
}

function Outcome({ isOutdated, ...outcome }: OutcomeProps) {
  if (outcome.result.clicks === 0) return <Text size="sm">{texts.empty}</Text>;
  return (
    <Stack gap="sm">
      {isOutdated && <Alert color="yellow">{texts.outdated}</Alert>}
      <BacktestResult {...outcome} />
    </Stack>
  );
}
