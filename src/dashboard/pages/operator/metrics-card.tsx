/** What the deployment has counted in a period, which the address keeps. */
import { Badge, SegmentedControl, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useSearchParams } from "wouter";

import type { OperatorMetrics } from "../../../core/contract/operator.ts";
import { METRIC_PERIODS, type MetricPeriod } from "../../../core/metrics/metrics.ts";
import { TitledCard } from "../../components/card.tsx";
import { Loaded } from "../../components/states.tsx";
import { Hint } from "../../components/hint.tsx";
import { operatorMetricsTexts as texts } from "../../texts/operator.ts";
import classes from "./metrics-card.module.css";
import { type Figure, metricGroups, parsePeriod, writePeriod } from "./metrics.ts";
import { useMetrics } from "./use-operator.ts";

const PERIODS = Object.keys(METRIC_PERIODS) as MetricPeriod[];

export function MetricsCard() {
  const [search, setSearch] = useSearchParams();
  const period = parsePeriod(search);
  return (
    <TitledCard
      title={texts.title}
      description={texts.description}
      action={
        <SegmentedControl
          size="xs"
          aria-label={texts.period}
          value={period}
          onChange={(next) => setSearch((before) => writePeriod(before, next as MetricPeriod), { replace: true })}
          data={PERIODS.map((value) => ({ value, label: texts.periods[value] }))}
        />
      }
    >
      <Loaded query={useMetrics(period)} skeleton={<Skeleton height={120} />}>
        {(metrics) => <Metrics metrics={metrics} />}
      </Loaded>
    </TitledCard>
  );
}

function Metrics({ metrics: { counts } }: { metrics: OperatorMetrics }) {
  if (Object.values(counts).every((value) => value === 0)) {
    return (
      <div>
        <Text fw={600}>{texts.empty}</Text>
        <Hint>{texts.emptyHint}</Hint>
      </div>
    );
  }
  return (
    <Stack gap="lg">
      {metricGroups(counts).map(({ title, figures }) => (
        <div key={title}>
          <Title order={3} size="h5" mb={4}>
            {title}
          </Title>
          <FigureList figures={figures} />
        </div>
      ))}
    </Stack>
  );
}

/** Numbers with their names, marked where they need a look. */
export function FigureList({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={classes.list}>
      {figures.map(({ name, value, isAlarming }) => (
        <div key={name}>
          <Hint component="dt">{name}</Hint>
          <Text component="dd" m={0} fw={600} style={{ overflowWrap: "anywhere" }}>
            {value}
            {isAlarming && (
              <Badge color="red" variant="light" ml="xs">
                {texts.look}
              </Badge>
            )}
          </Text>
        </div>
      ))}
    </dl>
  );
}
