/** What rules would have done with past clicks: counts for each rule, what is not known, and some clicks. */
import { Stack, Table, Text } from "@mantine/core";

import { OTHER_KEY } from "../../../../core/clicks/groupings.ts";
import type { Backtest } from "../../../../core/contract/backtests.ts";
import type { RoutingRule } from "../../../../core/links/routing.ts";
import { formatCount } from "../../../formatting/numbers.ts";
import { backtestTexts as texts } from "../../../texts/backtest.ts";
import { MovedClicks } from "./moved-clicks.tsx";
import { ruleKeyName } from "./parse-rule-key.ts";
import classes from "./rules.module.css";

interface BacktestResultProps {
  linkId: string;
  result: Backtest;
  routing: readonly RoutingRule[];
}

export function BacktestResult({ linkId, result, routing }: BacktestResultProps) {
  const { clicks, moved, undecided, rules, samples } = result;
  return (
    <Stack gap="sm" data-testid="backtest">
      <Text size="sm" fw={600}>
        {moved === 0 && undecided === 0
          ? texts.noneMoved(formatCount(clicks), clicks)
          : texts.moved(formatCount(moved), formatCount(clicks), clicks)}
      </Text>
      {undecided > 0 && (
        <Text size="sm">{[texts.undecided(formatCount(undecided), undecided), ...reasonsOf(routing)].join(" ")}</Text>
      )}
      <RuleChanges rules={rules} />
      {samples.length > 0 && <MovedClicks linkId={linkId} samples={samples} />}
    </Stack>
  );
}

/** Why the log may not tell what these rules ask. */
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
