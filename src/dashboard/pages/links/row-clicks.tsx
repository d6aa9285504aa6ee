/** Clicks of a link in its row, read once the row comes into view. A failure shows a dash and blocks nothing. */
import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useSeen } from "../../components/use-seen.ts";
import { formatIn } from "../../formatting/dates.ts";
import { Hint } from "../../components/hint.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { useMode } from "../../mode.ts";
import { linkListTexts as texts } from "../../texts/links.ts";
import classes from "./link-list.module.css";
import { daysAgo, type RowStats, rowStatsQuery } from "./row-stats.ts";

/** @param ever  all clicks of the link, shown in place of those of the last 30 days where the list is sorted by them */
export function RowClicks({ id, ever }: { id: string; ever: number | undefined }) {
  const { mode } = useMode();
  const { ref, wasSeen } = useSeen<HTMLDivElement>();
  const stats = useQuery({ ...rowStatsQuery(mode, id), enabled: wasSeen });
  return (
    <div ref={ref} className={classes.clicks}>
      {stats.data ? (
        <Clicks stats={stats.data} ever={ever} />
      ) : stats.error ? (
        <Hint title={texts.clicksFailed} aria-label={texts.clicksFailed} role="img">
          —
        </Hint>
      ) : (
        <Skeleton height={28} aria-hidden />
      )}
    </div>
  );
}

function Clicks({ stats, ever }: { stats: RowStats; ever: number | undefined }) {
  const count = ever ?? stats.total;
  const title = ever === undefined ? texts.clicksTitle : texts.clicksEverTitle;
  return (
    <div className={classes.figures} title={title(formatCount(count))}>
      <Sparkline values={stats.days} />
      <div>
        <Text size="sm" fw={600} lh={1.2}>
          {texts.clicks(count, formatCount(count))}
        </Text>
        <Hint size="xs" lh={1.2}>
          {stats.lastDay === null && ever !== undefined ? texts.noneLately : lastClickText(stats.lastDay)}
        </Hint>
      </div>
    </div>
  );
}

function lastClickText(lastDay: string | null): string {
  if (lastDay === null) return texts.noRecentClick;
  const days = daysAgo(lastDay, Date.now());
  if (days === 0) return texts.lastClickToday;
  return days === 1 ? texts.lastClickYesterday : texts.lastClick(formatIn("dayAndMonth", lastDay));
}

const BAR_WIDTH = 2;
const BAR_STEP = 3;
const HEIGHT = 24;

/** A bar for each day, without axes. Drawn here: the chart library would be most of what this page loads. */
function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const bars = values.map((value, day) => {
    const height = value === 0 ? 1 : Math.max(2, (value / most) * HEIGHT);
    return `M${day * BAR_STEP} ${HEIGHT}v${-height}h${BAR_WIDTH}v${height}z`;
  });
  return (
    <svg
      className={classes.sparkline}
      width={values.length * BAR_STEP}
      height={HEIGHT}
      viewBox={`0 0 ${values.length * BAR_STEP} ${HEIGHT}`}
      aria-hidden
    >
      <path d={bars.join("")} />
    </svg>
  );
}
