/** Clicks by weekday and hour of the day. Counted once the card comes into view. */
import { Skeleton, Text, VisuallyHidden } from "@mantine/core";

import { TitledCard } from "../../../components/card.tsx";
import { useSeen } from "../../../components/use-seen.ts";
import { formatHourOfDay, formatWeekday } from "../../../formatting/dates.ts";
import { formatCount } from "../../../formatting/numbers.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import classes from "./heat-map-card.module.css";
import { mapLevel } from "./map-scale.ts";
import { StatsError } from "./stats-errors.tsx";
import type { StatsView } from "./use-stats.ts";
import { HOURS_OF_DAY, useWeekHeat } from "./week-heat.ts";

/** Columns between two that have a label. */
const LABEL_STEP = 3;

export function HeatMapCard({ view }: { view: StatsView }) {
  const { ref, wasSeen } = useSeen<HTMLElement>();
  const { data, error, refetch } = useWeekHeat(view, wasSeen);
  return (
    <TitledCard isTile order={3} title={texts.heatMap} description={texts.heatMapHint(view.params.zone)} ref={ref}>
      {error && !data && <StatsError error={error} retry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton height={210} />}
      {data === null && <Text size="sm">{texts.heatMapTooLong}</Text>}
      {data && <HeatMap heat={data} />}
    </TitledCard>
  );
}

function HeatMap({ heat }: { heat: number[][] }) {
  const max = Math.max(0, ...heat.flat());
  const hours = Array.from({ length: HOURS_OF_DAY }, (_, hour) => hour);
  return (
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
                  data-level={mapLevel(clicks, max)}
                  title={texts.heatMapCell(
                    formatWeekday(day, "long"),
                    formatHourOfDay(hour),
                    texts.clickCount(formatCount(clicks), clicks === 1),
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
  );
}
