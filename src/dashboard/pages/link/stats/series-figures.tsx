/** The sums above the chart, clicks beside visitors, each against the period before where that is asked for. */
import { Button, Group, Skeleton, Stack, Text, Title, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";

import type { Stats } from "../../../../core/contract/stats.ts";
import { Hint } from "../../../components/hint.tsx";
import { figure, SCAN_CLICKS_MAX } from "../../../../core/limits.ts";
import { formatDateTimeRange } from "../../../formatting/dates.ts";
import { formatChange, formatCount } from "../../../formatting/numbers.ts";
import { buttonTexts } from "../../../texts/shell.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { isRangeTooLarge, LaterRanges } from "./stats-errors.tsx";
import classes from "./series-card.module.css";
import { isAllTime } from "./time-range.ts";
import { hasPeriodBefore, type StatsView, useVisitors, useVisitorsBefore } from "./use-stats.ts";

interface SeriesFiguresProps {
  view: StatsView;
  /** Undefined while they are loading. */
  stats: Stats | undefined;
  before: Stats | undefined;
}

export function SeriesFigures({ view, stats, before }: SeriesFiguresProps) {
  const { range, zone, compares } = view.params;
  const lacksBefore = range.kind === "preset" && !isAllTime(range) && !hasPeriodBefore(view);
  return (
    <div>
      <Group gap="xl" align="flex-start">
        <div>
          <Title order={2} size="h4" id="series-title">
            {texts.clicks}
          </Title>
          <Figure count={stats?.total} before={before?.total} name="total" />
        </div>
        <VisitorsFigure view={view} />
      </Group>
      {stats && <Hint size="xs">{formatDateTimeRange(stats.from, stats.to, zone)}</Hint>}
      {compares && lacksBefore && <Hint size="xs">{texts.nothingToCompare}</Hint>}
    </div>
  );
}

/** Visitors are counted apart: where that fails, the clicks are there all the same. */
function VisitorsFigure({ view }: { view: StatsView }) {
  const { data, error, refetch } = useVisitors(view);
  const before = useVisitorsBefore(view);
  return (
    <div>
      <Tooltip label={texts.visitorsHint}>
        <Text ff="heading" fz="h4" fw={700} lh="h4">
          {texts.visitors}
        </Text>
      </Tooltip>
      {error && !data ? (
        <VisitorsError error={error} view={view} retry={() => void refetch()} />
      ) : (
        <Figure count={data?.unique_visitors} before={before?.unique_visitors} name="visitors" />
      )}
    </div>
  );
}

function VisitorsError({ error, view, retry }: { error: Error; view: StatsView; retry: () => void }) {
  const note = (text: string, action: ReactNode) => (
    <Stack gap={4} align="flex-start" maw={240}>
      <Hint size="xs">{text}</Hint>
      {action}
    </Stack>
  );
  if (isRangeTooLarge(error)) {
    return note(texts.tooManyForVisitors(figure(SCAN_CLICKS_MAX)), <LaterRanges view={view} error={error} max={1} />);
  }
  return note(
    texts.visitorsFailed,
    <Button size="compact-xs" variant="default" onClick={retry}>
      {buttonTexts.tryAgain}
    </Button>,
  );
}

interface FigureProps {
  count: number | undefined;
  before: number | undefined;
  name: "total" | "visitors";
}

function Figure({ count, before, name }: FigureProps) {
  if (count === undefined) return <Skeleton height={40} width={120} mt={4} />;
  return (
    <>
      <div className={classes.total} data-testid={name}>
        {formatCount(count)}
      </div>
      {before !== undefined && (
        <Text size="sm" fw={500} data-testid={`${name}-change`}>
          {before === 0 ? texts.nothingBefore : texts.change(formatChange(count, before), formatCount(before))}
        </Text>
      )}
    </>
  );
}
