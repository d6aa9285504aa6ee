/** Input of the `time` condition: days, hours, time zone. */
import { Chip, Group, Input, Select, Stack, TextInput } from "@mantine/core";

import type { ConditionValues } from "../../../../core/links/conditions.ts";
import { TIME_ZONE_OPTIONS } from "../../../formatting/time-zones.ts";
import { conditionTexts as texts } from "../../../texts/rules.ts";
import { type ConditionFieldProps, DESCRIPTION_BELOW } from "./condition-kinds.ts";
import { rankOptions } from "./option-filter.ts";
import type { TimeWindowForm } from "./rule-form.ts";

type Day = NonNullable<ConditionValues["time"]["days"]>[number];

const DAY_NAMES: Record<Day, string> = texts.days;

interface TimeInputProps extends ConditionFieldProps {
  value: TimeWindowForm;
  onChange: (time: TimeWindowForm) => void;
}

export function TimeInput({ value: time, label, error, autoFocus, onChange }: TimeInputProps) {
  return (
    <Input.Wrapper
      error={error}
      inputWrapperOrder={DESCRIPTION_BELOW}
      description={texts.timeHint}
      role="group"
      aria-label={label}
    >
      <Stack gap="xs" mt={4}>
        <Chip.Group multiple value={time.days} onChange={(days) => onChange({ ...time, days: inWeekOrder(days) })}>
          <Group gap={6}>
            {Object.entries(DAY_NAMES).map(([day, name], index) => (
              <Chip key={day} value={day} size="xs" autoFocus={autoFocus && index === 0}>
                {name}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <Group gap="xs" align="flex-end">
          <TextInput
            type="time"
            label={texts.from}
            w={140}
            value={time.from}
            onChange={(event) => onChange({ ...time, from: event.currentTarget.value })}
          />
          <TextInput
            type="time"
            label={texts.until}
            w={140}
            // A time input cannot show 24:00.
            value={time.to === "24:00" ? "" : time.to}
            onChange={(event) => onChange({ ...time, to: event.currentTarget.value })}
          />
          <Select
            label={texts.zone}
            style={{ flex: "1 1 200px" }}
            data={TIME_ZONE_OPTIONS.includes(time.tz) ? TIME_ZONE_OPTIONS : [time.tz, ...TIME_ZONE_OPTIONS]}
            value={time.tz}
            onChange={(tz) => tz && onChange({ ...time, tz })}
            searchable
            limit={60}
            nothingFoundMessage={texts.noSuchZone}
            selectFirstOptionOnChange
            filter={rankOptions}
            allowDeselect={false}
          />
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

function inWeekOrder(days: readonly string[]): string[] {
  return Object.keys(DAY_NAMES).filter((day) => days.includes(day));
}
