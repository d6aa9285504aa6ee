/** Controls of the statistics: range, interval, time zone, bots, comparison, refresh. */
import { ActionIcon, Group, Select, Switch, Tooltip } from "@mantine/core";

import { INTERVALS } from "../../../../core/clicks/groupings.ts";
import { TIME_ZONE_OPTIONS } from "../../../formatting/time-zones.ts";
import { IconRefresh } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { RangePicker } from "./range-picker.tsx";
import { isAllTime } from "./time-range.ts";
import type { StatsView } from "./use-stats.ts";

export interface StatsToolbarProps {
  view: StatsView;
  autoRefresh: boolean;
  setAutoRefresh: (refreshes: boolean) => void;
  refresh: () => void;
  isLoading: boolean;
}

const INTERVAL_OPTIONS = INTERVALS.map((interval) => ({ value: interval, label: texts.byInterval(interval) }));

export function StatsToolbar({ view, autoRefresh, setAutoRefresh, refresh, isLoading }: StatsToolbarProps) {
  const { params, change, interval } = view;
  const hasNoPeriodBefore = isAllTime(params.range);
  return (
    <Group gap="sm" align="flex-end">
      <RangePicker
        range={params.range}
        // The interval chosen for the old range could give too many bins in the new one.
        setRange={(range) => change({ range, interval: null })}
      />
      <Select
        label={texts.interval}
        w={150}
        data={INTERVAL_OPTIONS}
        value={interval}
        onChange={(value) => value && change({ interval: value })}
        allowDeselect={false}
      />
      <Select
        label={texts.timeZone}
        w={200}
        data={TIME_ZONE_OPTIONS}
        value={params.zone}
        onChange={(value) => value && change({ zone: value })}
        searchable
        limit={60}
        nothingFoundMessage={texts.noTimeZone}
        allowDeselect={false}
      />
      <Group gap="md" mih={36}>
        <Switch
          label={texts.bots}
          checked={params.includeBots}
          onChange={(event) => change({ includeBots: event.currentTarget.checked })}
        />
        <Tooltip label={texts.compareHint}>
          <Switch
            label={texts.compare}
            disabled={hasNoPeriodBefore}
            checked={params.compares && !hasNoPeriodBefore}
            onChange={(event) => change({ compares: event.currentTarget.checked })}
          />
        </Tooltip>
        <Switch
          label={texts.autoRefresh}
          checked={autoRefresh}
          onChange={(event) => setAutoRefresh(event.currentTarget.checked)}
        />
        <Tooltip label={texts.refresh}>
          <ActionIcon variant="default" size="lg" aria-label={texts.refresh} loading={isLoading} onClick={refresh}>
            <IconRefresh size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  );
}
