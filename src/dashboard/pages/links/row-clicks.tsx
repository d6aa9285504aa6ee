/** Clicks of a link in its row, read once the row comes into view. A failure shows a dash and blocks nothing. */
import { Skeleton, Text } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { useMode } from "../../mode.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { formatIn } from "../../formatting/dates.ts";
import { linkListTexts as texts } from "../../texts/links.ts";
import { daysAgo, type RowStats, rowStatsQuery } from "./row-stats.ts";
import { Sparkline } from "./sparkline.tsx";
import classes from "./link-list.module.css";

/** Rows just below the window are read ahead. */
const VIEW_MARGIN = "200px";

export function RowClicks({ id }: { id: string }) {
  const { mode } = useMode();
  const { ref, entry } = useIntersection({ rootMargin: VIEW_MARGIN });
  const stats = useQuery({ ...rowStatsQuery(mode, id), enabled: entry?.isIntersecting ?? false });
  return (
    <div ref={ref} className={classes.clicks}>
      {stats.data ? (
        <Clicks stats={stats.data} />
      ) : stats.error ? (
        <Text size="sm" c="dimmed" title={texts.clicksFailed} aria-label={texts.clicksFailed} role="img">
          —
        </Text>
      ) : (
        <Skeleton height={28} aria-hidden />
      )}
    </div>
  );
}

function Clicks({ stats }: { stats: RowStats }) {
  return (
    <div className={classes.figures} title={texts.clicksTitle(formatCount(stats.total))}>
      <Sparkline values={stats.days} />
      <div>
        <Text size="sm" fw={600} lh={1.2}>
          {texts.clicks(stats.total, formatCount(stats.total))}
        </Text>
        <Text size="xs" c="dimmed" lh={1.2}>
          {lastClickText(stats.lastDay)}
        </Text>
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
