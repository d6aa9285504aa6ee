/** Controls of the statistics: range, interval, time zone, bots, comparison, refresh. */
import { Group, Pill, Select, Switch, Tooltip } from "@mantine/core";

import { NONE_KEY } from "../../../../core/clicks/facts.ts";
import { ACCOUNT_GROUPINGS, INTERVALS } from "../../../../core/clicks/counting/groupings.ts";
import { FlatButton, IconButton } from "../../../components/buttons.tsx";
import { TIME_ZONE_OPTIONS } from "../../../formatting/time-zones.ts";
import { icon } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { ShareButton } from "../../share/share-button.tsx";
import { bucketName, groupingName } from "./bucket-names.ts";
import classes from "./stats-toolbar.module.css";
import { useNamedLinks, useQrNames } from "./link-names.ts";
import { RangePicker } from "./range-picker.tsx";
import { hasFilters } from "./stats-params.ts";
import { isAllTime } from "./time-range.ts";
import type { StatsView } from "./use-stats.ts";

interface StatsToolbarProps {
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
        <IconButton
          hasTooltip
          variant="default"
          size="lg"
          label={texts.refresh}
          sign={icon("refresh", 18)}
          loading={isLoading}
          onClick={refresh}
        />
        <ShareButton view={view} />
      </Group>
    </Group>
  );
}

/** The active filters, each with a button that removes it. */
export function FilterChips({ view: { params, change } }: { view: StatsView }) {
  const { filters } = params;
  const links = useNamedLinks(filters.link ?? []).map(({ id, name }) => [id, name] as const);
  const names = new Map([...links, ...useQrNames(filters.qr?.filter((key) => key !== NONE_KEY) ?? [])]);
  if (!hasFilters(filters)) return null;
  return (
    <Group gap="xs" role="group" aria-label={texts.filters}>
      {ACCOUNT_GROUPINGS.map((grouping) => {
        const values = filters[grouping];
        if (!values) return null;
        const { [grouping]: _, ...others } = filters;
        const name = texts.filter(
          groupingName(grouping),
          values.map((value) => names.get(value) ?? bucketName(grouping, value)).join(", "),
        );
        return (
          <Pill
            key={grouping}
            size="md"
            withRemoveButton
            classNames={{ root: classes.chip, label: classes.label }}
            title={name}
            onRemove={() => change({ filters: others })}
            removeButtonProps={{ "aria-label": texts.removeFilter(name), tabIndex: 0, "aria-hidden": false }}
          >
            {name}
          </Pill>
        );
      })}
      <FlatButton onClick={() => change({ filters: {} })}>{texts.clearFilters}</FlatButton>
    </Group>
  );
}
