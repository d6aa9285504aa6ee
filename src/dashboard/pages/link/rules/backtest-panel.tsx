/** Tests the editor's rules on past clicks before they are saved: how many would have gone where. */
import { Alert, Group, Loader, Stack, Text, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";

import { OTHER_KEY } from "../../../../core/clicks/counting/groupings.ts";
import type { Backtest, BacktestLink } from "../../../../core/contract/backtests.ts";
import type { Click, ClickPage } from "../../../../core/contract/clicks.ts";
import type { Problem } from "../../../../core/errors.ts";
import type { RoutingRule } from "../../../../core/links/routing.ts";
import { hasCode } from "../../../api/api-error.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { useSingleMutation } from "../../../api/mutations.ts";
import { Hint, PlainButton } from "../../../components/buttons.tsx";
import { TitledCard } from "../../../components/card.tsx";
import { ErrorState } from "../../../components/states.tsx";
import { formatIn } from "../../../formatting/dates.ts";
import { readableUrl } from "../../../formatting/hosts.ts";
import { formatCount } from "../../../formatting/numbers.ts";
import { backtestTexts as texts } from "../../../texts/rules.ts";
import { countryName, visitorNames } from "../visitor-names.ts";
import { ruleKeyName } from "./rule-sentence.ts";
import classes from "./rules.module.css";

interface BacktestPanelProps {
  linkId: string;
  /** The rules in the editor. */
  routing: RoutingRule[];
  isDraft: boolean;
  /** Called with the API's problems with the rules. */
  onProblems: (problems: readonly Problem[]) => void;
}

/** Tests rules, saved or not, on the clicks of the last 30 days. */
export function BacktestPanel({ linkId, routing, isDraft, onProblems }: BacktestPanelProps) {
  const { api } = useApi();
  const { mutate, isPending, error, data, variables } = useSingleMutation({
    mutationFn: (json: BacktestLink) =>
      unwrap<Backtest>(api.links[":id"].backtest.$post({ param: { id: linkId }, json })),
    onSuccess: () => onProblems([]),
    onError: (failure) => hasCode(failure, "validation_failed") && onProblems(failure.problems),
  });
  const run = () => mutate({ routing });
  const isOutdated = JSON.stringify(variables?.routing) !== JSON.stringify(routing);
  return (
    <TitledCard title={texts.title} description={isDraft ? texts.hintDraft : texts.hint}>
      <PlainButton w="fit-content" onClick={run} loading={isPending}>
        {texts.submit}
      </PlainButton>
      <div aria-live="polite" aria-busy={isPending}>
        {isPending && (
          <Group gap="xs" wrap="nowrap">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{texts.running}</Text>
          </Group>
        )}
        {error &&
          (hasCode(error, "validation_failed") ? (
            <Alert color="red">{texts.wrongRules}</Alert>
          ) : (
            <ErrorState error={error} title={texts.failed} retry={run} />
          ))}
        {data && <BacktestResult linkId={linkId} result={data} routing={routing} isOutdated={isOutdated} />}
      </div>
    </TitledCard>
  );
}

interface BacktestResultProps {
  linkId: string;
  result: Backtest;
  routing: readonly RoutingRule[];
  /** The rules have changed since they were tested. */
  isOutdated: boolean;
}

/** The effect of rules on past clicks: counts for each rule, unknown facts, and sample clicks. */
function BacktestResult({ linkId, result, routing, isOutdated }: BacktestResultProps) {
  const { clicks, moved, undecided, rules, samples } = result;
  if (clicks === 0) return <Text size="sm">{texts.empty}</Text>;
  return (
    <Stack gap="sm">
      {isOutdated && <Alert color="yellow">{texts.outdated}</Alert>}
      <Text size="sm" fw={600}>
        {moved === 0 && undecided === 0 ? texts.noneMoved(clicks) : texts.moved(moved, clicks)}
      </Text>
      {undecided > 0 && <Text size="sm">{[texts.undecided(undecided), ...reasonsOf(routing)].join(" ")}</Text>}
      <RuleChanges rules={rules} />
      {samples.length > 0 && <MovedClicks linkId={linkId} samples={samples} />}
    </Stack>
  );
}

/** Why the log may lack the facts that these rules need. */
function reasonsOf(routing: readonly RoutingRule[]): string[] {
  const asks = (key: "query" | "percent") =>
    routing.some(({ if: condition }) => condition[key] !== undefined || condition.not?.[key] !== undefined);
  return (["query", "percent"] as const).filter(asks).map((key) => texts.reasons[key]);
}

function RuleChanges({ rules }: Pick<Backtest, "rules">) {
  return (
    <Table aria-label={texts.rules} className={classes.changes}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{texts.rule}</Table.Th>
          <Table.Th scope="col" className={classes.figure}>
            {texts.before}
          </Table.Th>
          <Table.Th scope="col" className={classes.figure}>
            {texts.after}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rules.map(({ rule, before, after }) => (
          <Table.Tr key={rule}>
            <Table.Th scope="row" fw={400}>
              <span className={classes.outcome}>{rule === OTHER_KEY ? texts.otherRules : ruleKeyName(rule)}</span>
            </Table.Th>
            <Table.Td className={classes.figure}>{formatCount(before)}</Table.Td>
            <Table.Td className={classes.figure} fw={after === before ? 400 : 600}>
              {formatCount(after)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const SHOWN = 5;

type Sample = Backtest["samples"][number];

/** Sample clicks that would have gone elsewhere: time, visitor, actual destination, and the one under these rules. */
function MovedClicks({ linkId, samples }: { linkId: string; samples: readonly Sample[] }) {
  const titleId = useId();
  // Spread over the range, like the samples.
  const every = Math.ceil(samples.length / SHOWN);
  return (
    <div>
      <Hint mb={4} id={titleId}>
        {texts.samples}
      </Hint>
      <ul className={classes.steps} aria-labelledby={titleId}>
        {samples
          .filter((_, index) => index % every === 0)
          .map((sample) => (
            <MovedClick key={sample.seq} linkId={linkId} sample={sample} />
          ))}
      </ul>
    </div>
  );
}

function MovedClick({ linkId, sample: { seq, before, after } }: { linkId: string; sample: Sample }) {
  const click = useClick(linkId, seq);
  const facts = click && [
    formatIn("dateTimeToMinute", click.occurred_at),
    countryName(click.country),
    visitorNames.device(click.device),
  ];
  return (
    <li className={classes.step}>
      <Text size="sm">{facts?.join(" · ") ?? "…"}</Text>
      <Hint className={classes.outcome} title={before}>
        {texts.went(readableUrl(before))}
      </Hint>
      <Text size="sm" className={classes.outcome} title={after}>
        {texts.wouldGo(readableUrl(after))}
      </Text>
    </li>
  );
}

/** Undefined until loaded: the change is worth showing without it. */
function useClick(linkId: string, seq: number): Click | undefined {
  const { api, mode } = useApi();
  const { data } = useQuery({
    queryKey: [mode, "click", linkId, seq],
    queryFn: () =>
      unwrap<ClickPage>(
        api.links[":id"].clicks.$get({ param: { id: linkId }, query: { after: String(seq - 1), limit: "1" } }),
      ),
    staleTime: Infinity,
  });
  return data?.data[0];
}
