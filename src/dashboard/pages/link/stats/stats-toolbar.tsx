/** Controls of the statistics: range, interval, time zone, bots, refresh. */
import { ActionIcon, Button, Group, Popover, Select, Stack, Switch, TextInput, Tooltip } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";

import { type Interval, INTERVALS } from "../../../../core/clicks/groupings.ts";
import { TIME_ZONE_OPTIONS } from "../../../formatting/time-zones.ts";
import { customDaysRange, rangeDays, RANGE_PRESET_OPTIONS, type TimeRange } from "./time-range.ts";

export interface StatsToolbarProps {
  range: TimeRange;
  setRange: (range: TimeRange) => void;
  interval: Interval;
  setInterval: (interval: Interval) => void;
  zone: string;
  setZone: (zone: string) => void;
  includeBots: boolean;
  setIncludeBots: (include: boolean) => void;
  autoRefresh: boolean;
  setAutoRefresh: (refreshes: boolean) => void;
  refresh: () => void;
  isLoading: boolean;
}

const INTERVAL_OPTIONS = INTERVALS.map((interval) => ({ value: interval, label: `By the ${interval}` }));
const CUSTOM_OPTION = "custom" as const;

export function StatsToolbar(toolbar: StatsToolbarProps) {
  const { interval, setInterval, zone, setZone, includeBots, setIncludeBots, autoRefresh, setAutoRefresh } = toolbar;
  return (
    <Group gap="sm" align="flex-end">
      <RangePicker {...toolbar} />
      <Select
        label="Interval"
        w={150}
        data={INTERVAL_OPTIONS}
        value={interval}
        onChange={(value) => value && setInterval(value)}
        allowDeselect={false}
      />
      <Select
        label="Time zone"
        w={200}
        data={TIME_ZONE_OPTIONS}
        value={zone}
        onChange={(value) => value && setZone(value)}
        searchable
        limit={60}
        nothingFoundMessage="No such zone"
        allowDeselect={false}
      />
      <Group gap="md" mih={36}>
        <Switch
          label="Bots too"
          checked={includeBots}
          onChange={(event) => setIncludeBots(event.currentTarget.checked)}
        />
        <Switch
          label="Refresh every 30 s"
          checked={autoRefresh}
          onChange={(event) => setAutoRefresh(event.currentTarget.checked)}
        />
        <Tooltip label="Refresh now">
          <ActionIcon
            variant="default"
            size="lg"
            aria-label="Refresh now"
            loading={toolbar.isLoading}
            onClick={toolbar.refresh}
          >
            <IconRefresh size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  );
}

function RangePicker({ range, setRange, zone }: StatsToolbarProps) {
  const [isOpen, setOpen] = useState(false);
  const label = range.kind === "custom" ? rangeDays(range, zone).join(" – ") : "Custom days …";
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus withArrow withRoles={false} position="bottom-start">
      <Popover.Target>
        <div>
          <Select
            label="Range"
            w={range.kind === "custom" ? 240 : 170}
            data={[...RANGE_PRESET_OPTIONS, { value: CUSTOM_OPTION, label }]}
            value={range.kind === "custom" ? CUSTOM_OPTION : range.preset}
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
          initial={range.kind === "custom" ? rangeDays(range, zone) : null}
          choose={(first, last) => {
            setRange(customDaysRange(first, last, zone));
            setOpen(false);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

interface CustomDaysFormProps {
  initial: [string, string] | null;
  choose: (first: string, last: string) => void;
}

function CustomDaysForm({ initial, choose }: CustomDaysFormProps) {
  const [first, setFirst] = useState(initial?.[0] ?? "");
  const [last, setLast] = useState(initial?.[1] ?? "");
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
          label="First day"
          required
          max="9998-12-31"
          data-autofocus
          value={first}
          onChange={(event) => setFirst(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label="Last day"
          required
          max="9998-12-31"
          value={last}
          onChange={(event) => setLast(event.currentTarget.value)}
          error={isReversed ? "The last day is before the first" : null}
        />
        <Button type="submit">Show these days</Button>
      </Stack>
    </form>
  );
}
