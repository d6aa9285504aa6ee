/** Controls of the statistics: range, interval, time zone, bots, comparison, refresh. */
import { ActionIcon, Button, Group, Popover, Select, Stack, Switch, TextInput, Tooltip } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";

import { INTERVALS } from "../../../../core/clicks/groupings.ts";
import { TIME_ZONE_OPTIONS } from "../../../formatting/time-zones.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { rangeName } from "./range-name.ts";
import { isAllTime, RANGE_PRESET_NAMES, type TimeRange } from "./time-range.ts";
import type { StatsView } from "./use-stats.ts";

export interface StatsToolbarProps {
  view: StatsView;
  autoRefresh: boolean;
  setAutoRefresh: (refreshes: boolean) => void;
  refresh: () => void;
  isLoading: boolean;
}

const INTERVAL_OPTIONS = INTERVALS.map((interval) => ({ value: interval, label: texts.byInterval(interval) }));
const PRESET_OPTIONS = RANGE_PRESET_NAMES.map((preset) => ({ value: preset, label: texts.ranges[preset] }));
const CUSTOM_OPTION = "custom" as const;

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

function RangePicker({ range, setRange }: { range: TimeRange; setRange: (range: TimeRange) => void }) {
  const [isOpen, setOpen] = useState(false);
  const days = range.kind === "days" ? range : null;
  const label = days ? rangeName(days) : texts.customDays;
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus withArrow withRoles={false} position="bottom-start">
      <Popover.Target>
        <div>
          <Select
            label={texts.range}
            w={days ? 250 : 170}
            data={[...PRESET_OPTIONS, { value: CUSTOM_OPTION, label }]}
            value={range.kind === "days" ? CUSTOM_OPTION : range.preset}
            onChange={(value) =>
              value !== CUSTOM_OPTION && value !== null && setRange({ kind: "preset", preset: value })
            }
            // onChange does not fire when the custom option is selected already; this lets its days be changed.
            onOptionSubmit={(value) => value === CUSTOM_OPTION && setOpen(true)}
            allowDeselect={false}
          />
        </div>
      </Popover.Target>
      <Popover.Dropdown>
        <CustomDaysForm
          initial={days}
          choose={(first, last) => {
            setRange({ kind: "days", first, last });
            setOpen(false);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

interface CustomDaysFormProps {
  initial: { first: string; last: string } | null;
  choose: (first: string, last: string) => void;
}

function CustomDaysForm({ initial, choose }: CustomDaysFormProps) {
  const [first, setFirst] = useState(initial?.first ?? "");
  const [last, setLast] = useState(initial?.last ?? "");
  const isReversed = first !== "" && last !== "" && first > last;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (first !== "" && last !== "" && !isReversed) choose(first, last);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          type="date"
          label={texts.firstDay}
          required
          min="1000-01-01"
          max="9998-12-31"
          data-autofocus
          value={first}
          onChange={(event) => setFirst(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={texts.lastDay}
          required
          min="1000-01-01"
          max="9998-12-31"
          value={last}
          onChange={(event) => setLast(event.currentTarget.value)}
          error={isReversed ? texts.daysReversed : null}
        />
        <Button type="submit">{texts.showDays}</Button>
      </Stack>
    </form>
  );
}
