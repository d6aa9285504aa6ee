/** What the deployment has counted in a period, which the address keeps. */
import { Badge, SegmentedControl, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useSearchParams } from "wouter";

import type { OperatorMetrics } from "../../../core/contract/operator.ts";
import { METRIC_PERIODS, type MetricPeriod } from "../../../core/metrics/metric-bins.ts";
import { mergeCounts, zeroCounts } from "../../../core/metrics/metrics.ts";
import { TitledCard } from "../../components/card.tsx";
import { lazyPart } from "../../components/lazy-part.tsx";
import { ErrorState } from "../../components/states.tsx";
import { operatorMetricsTexts as texts } from "../../texts/operator.ts";
import classes from "./metrics-card.module.css";
import { type Figure, type MetricGroup, metricGroups, parsePeriod, writePeriod } from "./metrics.ts";
import { useMetrics } from "./use-operator.ts";

const MetricsCharts = lazyPart(() => import("./metrics-charts.tsx"), <Skeleton height={240} />);

const PERIODS = Object.keys(METRIC_PERIODS) as MetricPeriod[];

export function MetricsCard() {
  const [search, setSearch] = useSearchParams();
  const period = parsePeriod(search);
  const { data, error, refetch } = useMetrics(period);
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
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : data ? (
        <Metrics metrics={data} />
      ) : (
        <Skeleton height={320} />
      )}
    </TitledCard>
  );
}

function Metrics({ metrics }: { metrics: OperatorMetrics }) {
  const total = metrics.bins.map(({ counts }) => counts).reduce(mergeCounts, zeroCounts());
  if (Object.values(total).every((value) => value === 0)) {
    return (
      <div>
        <Text fw={600}>{texts.empty}</Text>
        <Text c="dimmed" size="sm">
          {texts.emptyHint}
        </Text>
      </div>
    );
  }
  return (
    <Stack gap="lg">
      {metricGroups(total).map((group) => (
        <Group key={group.title} group={group} />
      ))}
      <MetricsCharts metrics={metrics} />
    </Stack>
  );
}

function Group({ group: { title, figures } }: { group: MetricGroup }) {
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        {title}
      </Title>
      <FigureList figures={figures} />
    </div>
  );
}

/** Numbers with their names, marked where they need a look. */
export function FigureList({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={classes.list}>
      {figures.map(({ name, value, isAlarming }) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} fw={600} style={{ overflowWrap: "anywhere" }}>
            {value}
            {isAlarming && (
              <Badge color="red" variant="light" ml="xs" tt="none">
                {texts.look}
              </Badge>
            )}
          </Text>
        </div>
      ))}
    </dl>
  );
}
