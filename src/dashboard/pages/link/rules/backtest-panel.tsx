/** Tries the rules of the editor on past clicks, before they are saved: how many would have gone where. */
import { Alert, Button, Group, Loader, Paper, Stack, Text, Title } from "@mantine/core";
import { useId } from "react";

import type { Problem } from "../../../../core/errors.ts";
import type { RoutingRule } from "../../../../core/links/routing.ts";
import { ApiError } from "../../../api/api-error.ts";
import { ErrorState } from "../../../components/states.tsx";
import { backtestTexts as texts } from "../../../texts/backtest.ts";
import { BacktestResult } from "./backtest-result.tsx";
import { type BacktestState, useBacktest } from "./use-backtest.ts";

interface BacktestPanelProps {
  linkId: string;
  /** As they are in the editor. */
  routing: RoutingRule[];
  isDraft: boolean;
  /** What the API says of the rules; null when nothing. */
  onProblems: (problems: readonly Problem[] | null) => void;
}

export function BacktestPanel({ linkId, routing, isDraft, onProblems }: BacktestPanelProps) {
  const titleId = useId();
  const backtest = useBacktest(linkId, routing, onProblems);
  const { run, isRunning } = backtest;
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={titleId}>
      <Title order={2} size="h4" id={titleId}>
        {texts.title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {isDraft ? texts.hintDraft : texts.hint}
      </Text>
      <Button variant="default" onClick={run} loading={isRunning}>
        {texts.submit}
      </Button>
      <div aria-live="polite" aria-busy={isRunning}>
        {isRunning ? <Running /> : <Outcome backtest={backtest} linkId={linkId} routing={routing} />}
      </div>
    </Paper>
  );
}

function Running() {
  return (
    <Group gap="xs" mt="md" wrap="nowrap">
      <Loader size="xs" aria-hidden />
      <Text size="sm">{texts.running}</Text>
    </Group>
  );
}

interface OutcomeProps {
  backtest: BacktestState;
  linkId: string;
  routing: RoutingRule[];
}

function Outcome({ backtest: { error, result, run, isOutdated }, linkId, routing }: OutcomeProps) {
  if (error instanceof ApiError && error.code === "validation_failed") {
    return (
      <Alert color="red" variant="light" mt="md">
        {texts.wrongRules}
      </Alert>
    );
  }
  if (error) {
    return (
      <Stack mt="md">
        <ErrorState error={error} title={texts.failed} retry={run} />
      </Stack>
    );
  }
  if (!result) return null;
  if (result.clicks === 0) {
    return (
      <Text size="sm" mt="md">
        {texts.empty}
      </Text>
    );
  }
  return (
    <Stack gap="sm" mt="md">
      {isOutdated && (
        <Alert color="yellow" variant="light">
          {texts.outdated}
        </Alert>
      )}
      <BacktestResult linkId={linkId} result={result} routing={routing} />
    </Stack>
  );
}
