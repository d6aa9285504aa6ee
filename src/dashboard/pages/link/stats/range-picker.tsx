/** Selects a time range: a preset, or calendar days. */
import { Popover, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";

import { SubmitButton } from "../../../components/buttons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import {
  CALENDAR_RANGE_NAMES,
  rangeName,
  type RangePreset,
  SLIDING_RANGE_NAMES,
  type TimeRange,
} from "./time-range.ts";

const PRESET_OPTIONS = [
  { group: texts.slidingRanges, items: SLIDING_RANGE_NAMES.map(presetOption) },
  { group: texts.calendarRanges, items: CALENDAR_RANGE_NAMES.map(presetOption) },
];
const CUSTOM_OPTION = "custom" as const;

export function RangePicker({ range, setRange }: { range: TimeRange; setRange: (range: TimeRange) => void }) {
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
            data={[{ value: CUSTOM_OPTION, label }, ...PRESET_OPTIONS]}
            value={range.kind === "days" ? CUSTOM_OPTION : range.preset}
            onChange={(value) =>
              value !== CUSTOM_OPTION && value !== null && setRange({ kind: "preset", preset: value })
            }
            // onChange does not fire if the custom option is already selected; this lets users change its days.
            onOptionSubmit={(value) => value === CUSTOM_OPTION && setOpen(true)}
          />
        </div>
      </Popover.Target>
      <Popover.Dropdown>
        <CustomDaysForm
          initial={days ?? { first: "", last: "" }}
          choose={(chosen) => {
            setRange({ kind: "days", ...chosen });
            setOpen(false);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function presetOption(preset: RangePreset) {
  return { value: preset, label: texts.ranges[preset] };
}

const DAY_INPUT = { type: "date", required: true, min: "1000-01-01", max: "9998-12-31" };

interface Days {
  first: string;
  last: string;
}

function CustomDaysForm({ initial, choose }: { initial: Days; choose: (days: Days) => void }) {
  const form = useForm({ initialValues: { first: initial.first, last: initial.last } });
  const { first, last } = form.values;
  const isReversed = last !== "" && first > last;
  return (
    <form onSubmit={form.onSubmit((days) => void (isReversed || choose(days)))}>
      <Stack gap="sm">
        <TextInput {...DAY_INPUT} label={texts.firstDay} data-autofocus {...form.getInputProps("first")} />
        <TextInput
          {...DAY_INPUT}
          label={texts.lastDay}
          {...form.getInputProps("last")}
          error={isReversed && texts.daysReversed}
        />
        <SubmitButton>{texts.apply}</SubmitButton>
      </Stack>
    </form>
  );
}
