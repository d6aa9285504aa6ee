/** Clicks by weekday and hour of the day, counted once the card comes into view, and the legend of its colors. */
import { Group, Skeleton, Text, VisuallyHidden } from "@mantine/core";

import { Hint } from "../../../components/buttons.tsx";
import { useSeen } from "../../../components/use-seen.ts";
import { formatHourOfDay, formatWeekday } from "../../../formatting/dates.ts";
import { formatCount } from "../../../formatting/numbers.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { DownloadableCard, downloadHeat } from "./card-downloads.tsx";
import classes from "./heat-map-card.module.css";
import { StatsError } from "./stats-errors.tsx";
import type { StatsView } from "./use-stats.ts";
import { HOURS_OF_DAY, levelOf, type LevelStart, levelStarts, useWeekHeat } from "./week-heat.ts";

/** Number of columns between labels. */
const LABEL_STEP = 3;

export function HeatMapCard({ view }: { view: StatsView }) {
  const { ref, wasSeen } = useSeen<HTMLElement>();
  const { data, error, refetch } = useWeekHeat(view, wasSeen);
  return (
    <DownloadableCard
      name={texts.heatMap}
      description={texts.heatMapHint(view.params.zone)}
      ref={ref}
      file={`${view.subject.name}-busiest-hours`}
      saveCsv={data ? () => downloadHeat(view.subject, data) : undefined}
    >
      {error && !data && <StatsError error={error} retry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton height={210} />}
      {data === null && <Text size="sm">{texts.heatMapTooLong}</Text>}
      {data && <HeatMap heat={data} />}
    </DownloadableCard>
  );
}

function HeatMap({ heat }: { heat: number[][] }) {
  const counts = heat.flat().filter((clicks) => clicks > 0);
  const starts = levelStarts(Math.max(0, ...counts), Math.min(...counts));
  const hours = Array.from({ length: HOURS_OF_DAY }, (_, hour) => hour);
  return (
    <>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={texts.heatMap}>
        <table className={classes.heat}>
          <thead>
            <tr>
              <td />
              {hours.map((hour) => (
                <th key={hour} scope="col">
                  <VisuallyHidden>{formatHourOfDay(hour)}</VisuallyHidden>
                  {hour % LABEL_STEP === 0 && <span aria-hidden>{formatHourOfDay(hour)}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {heat.map((row, day) => (
              <tr key={day}>
                <th scope="row" aria-label={formatWeekday(day, "long")}>
                  {formatWeekday(day, "short")}
                </th>
                {row.map((clicks, hour) => (
                  <td
                    key={hour}
                    className={classes.cell}
                    data-level={levelOf(clicks, starts)}
                    title={texts.heatMapCell(
                      formatWeekday(day, "long"),
                      formatHourOfDay(hour),
                      texts.clickCount(clicks),
                    )}
                  >
                    <VisuallyHidden>{formatCount(clicks)}</VisuallyHidden>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <LevelLegend starts={starts} />
    </>
  );
}

/** The numbers behind the colors, here and below the world map. */
export function LevelLegend({ starts }: { starts: readonly LevelStart[] }) {
  return (
    <Group gap="md" mt="xs" aria-hidden>
      {starts.map(({ level, from }) => (
        <Group gap={6} key={level}>
          <span className={classes.swatch} data-level={level} />
          <Hint size="xs">{formatCount(from)}+</Hint>
        </Group>
      ))}
    </Group>
  );
}
