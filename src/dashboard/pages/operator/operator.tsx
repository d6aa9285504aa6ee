/** The state of the deployment, for its operators. For everyone else, this page does not exist. */
import { Stack, Title, Group, Badge, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";

import type { HealthCheck, HealthReport } from "../../../core/contract/operator.ts";
import { METRIC_PERIODS, type MetricCounts, type MetricPeriod } from "../../../core/metrics/metrics.ts";
import { useAccount } from "../../api/account.ts";
import { readApiError, readBody, responseOf } from "../../api/api-error.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { Hint, SmallButton } from "../../components/buttons.tsx";
import { CardTable } from "../../components/card-table.tsx";
import { TitledCard } from "../../components/card.tsx";
import { Page } from "../../components/page.tsx";
import { ListSkeleton, Loaded } from "../../components/states.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { icon } from "../../icons.tsx";
import {
  operatorDeploymentTexts as deploymentTexts,
  operatorTexts,
  operatorHealthTexts,
  operatorMetricsTexts as texts,
} from "../../texts/operator.ts";
import NotFound from "../not-found.tsx";
import { AccountsCard, LinksCard, REFRESH_MS, useOverview } from "./accounts.tsx";
import classes from "./metrics-card.module.css";
import { type Figure, metricGroups, parsePeriod, writePeriod } from "./metrics.ts";
import { MissingParts } from "./missing-parts.tsx";

export default function Operator() {
  const { data: account } = useAccount();
  if (!account?.is_operator) return <NotFound />;
  return (
    <Page title={operatorTexts.title} description={operatorTexts.description}>
      <Stack gap="lg">
        <MissingParts />
        <HealthCard />
        <MetricsCard />
        <AccountsCard />
        <LinksCard />
        <DeploymentCard />
      </Stack>
    </Page>
  );
}

/** The deployment's release, accounts and pending work. */
function DeploymentCard() {
  return (
    <TitledCard title={deploymentTexts.title}>
      <Loaded query={useOverview()} skeleton={<ListSkeleton rows={4} height={40} />}>
        {({ release, signups, accounts, outbox, closing_accounts: closing }) => (
          <FigureList
            figures={[
              { name: deploymentTexts.release, value: release },
              { name: deploymentTexts.signups, value: deploymentTexts[signups] },
              { name: deploymentTexts.accounts, value: boundedCount(accounts) },
              { name: deploymentTexts.outbox, value: boundedCount(outbox), hint: deploymentTexts.outboxHint },
              { name: deploymentTexts.closing, value: boundedCount(closing), hint: deploymentTexts.closingHint },
            ]}
          />
        )}
      </Loaded>
    </TitledCard>
  );
}

function boundedCount({ count, is_more }: { count: number; is_more: boolean }): string {
  return is_more ? deploymentTexts.moreThan(formatCount(count)) : formatCount(count);
}

/** The checks of the deployment's parts. Not repeated automatically, because they write data. */
function HealthCard() {
  const health = useQuery({ queryKey: ["operator", "health"], queryFn: readHealth, staleTime: Infinity });
  const { data, error, isFetching, refetch } = health;
  const failing = data?.checks.filter((check) => !isPassed(check)).length ?? 0;
  return (
    <TitledCard
      title={operatorHealthTexts.title}
      description={
        data &&
        !error && (
          <span role="status">
            {failing === 0 ? operatorHealthTexts.allGood : operatorHealthTexts.failing(failing)}
          </span>
        )
      }
      action={
        <SmallButton loading={isFetching} onClick={() => void refetch()}>
          {operatorHealthTexts.again}
        </SmallButton>
      }
    >
      <Loaded query={health} skeleton={<ListSkeleton rows={6} height={28} />}>
        {({ checks }) => <Checks checks={checks} />}
      </Loaded>
    </TitledCard>
  );
}

/** If a check fails, the response is a 503 with the report as its body. */
async function readHealth(): Promise<HealthReport> {
  const response = await responseOf(apiClients.live.health.$get());
  const body = (await readBody<object>(response.clone()).catch(() => ({}))) as Partial<HealthReport> | null;
  if (body?.checks) return body as HealthReport;
  throw await readApiError(response);
}

function Checks({ checks }: { checks: readonly HealthCheck[] }) {
  return (
    <CardTable
      rows={checks}
      keyOf={({ name }) => name}
      columns={[
        {
          name: operatorHealthTexts.check,
          cell: (check) => (
            <Group gap="xs" wrap="nowrap">
              {checkIcon(isPassed(check))}
              {operatorHealthTexts.names[check.name] ?? check.name}
            </Group>
          ),
        },
        { name: operatorHealthTexts.result, cell: ({ message }) => message },
        { name: operatorHealthTexts.time, isFigure: true, cell: ({ ms }) => operatorHealthTexts.ms(formatCount(ms)) },
      ]}
    />
  );
}

function isPassed({ ok, warning }: HealthCheck): boolean {
  return ok && !warning;
}

function checkIcon(ok: boolean) {
  const style = { flex: "none", color: `var(--mantine-color-${ok ? "green" : "red"}-7)` };
  return ok
    ? icon("circle-check", 18, { style, "aria-label": operatorHealthTexts.passed })
    : icon("circle-x", 18, { style, "aria-label": operatorHealthTexts.failed });
}

/** The deployment's counts in a period, which is stored in the address. */

const PERIODS = Object.keys(METRIC_PERIODS) as MetricPeriod[];

function MetricsCard() {
  const [search, setSearch] = useSearchParams();
  const period = parsePeriod(search);
  const metrics = useQuery({
    queryKey: ["operator", "metrics", period],
    queryFn: () => unwrap(apiClients.live.deployment.metrics.$get({ query: { period } })),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
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
      <Loaded query={metrics} skeleton={<Skeleton height={120} />}>
        {({ counts }) => <Metrics counts={counts} />}
      </Loaded>
    </TitledCard>
  );
}

function Metrics({ counts }: { counts: MetricCounts }) {
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

/** Numbers with their names, marked if they need attention. */
function FigureList({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={classes.list}>
      {figures.map(({ name, value, hint, isAlarming }) => (
        <div key={name}>
          <Hint component="dt">{name}</Hint>
          <Text component="dd" m={0} fw={600} style={{ overflowWrap: "anywhere" }}>
            {value}
            {isAlarming && (
              <Badge color="red" ml="xs">
                {texts.look}
              </Badge>
            )}
          </Text>
          {hint && (
            <Hint component="dd" m={0} size="xs">
              {hint}
            </Hint>
          )}
        </div>
      ))}
    </dl>
  );
}
