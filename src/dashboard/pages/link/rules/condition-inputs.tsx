/** The input of each condition: lists of codes with names, texts, times, days, shares. Each shows its own problem. */
import {
  ActionIcon,
  Chip,
  Group,
  Input,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";

import type { ConditionKey } from "../../../../core/conditions.ts";
import { instantOfInput, localInput } from "../local-time.ts";
import { CONTINENT_CHOICES, COUNTRY_CHOICES } from "../place-names.ts";
import { BROWSER_CHOICES, DEVICE_CHOICES, OS_CHOICES } from "../software-names.ts";
import { BROWSER_ZONE, ZONE_CHOICES } from "../zones.ts";
import type { ConditionForm, ListKey, QueryForm, TimeForm } from "./rule-form.ts";

export const CONDITION_NAMES: Record<ConditionKey, string> = {
  country: "Country",
  continent: "Continent",
  region: "Region",
  city: "City",
  device: "Device",
  os: "System",
  browser: "Browser",
  language: "Language",
  referrer: "Referrer",
  source: "Source",
  query: "Query parameters",
  time: "Time of day",
  after: "From an instant on",
  before: "Until an instant",
  percent: "Share of visitors",
};

/** What is to be known about an input stands below it, so that inputs stand level with their names. */
const BELOW: ("input" | "description" | "error")[] = ["input", "description", "error"];

const CHOICES: Partial<Record<ListKey, { value: string; label: string }[]>> = {
  country: COUNTRY_CHOICES,
  continent: CONTINENT_CHOICES,
  device: DEVICE_CHOICES,
  os: OS_CHOICES,
  browser: BROWSER_CHOICES,
  source: [
    { value: "link", label: "Link" },
    { value: "qr", label: "QR code" },
  ],
};

/** What to type where any text will do. Several are any of them. */
const HINTS: Partial<Record<ListKey, { placeholder: string; description: string }>> = {
  region: { placeholder: "US-TX", description: "ISO 3166-2 codes such as US-TX or DE-BE. Press Enter after each." },
  city: { placeholder: "Berlin", description: "In English, in any case. Press Enter after each." },
  language: {
    placeholder: "de",
    description: "Tags such as de or pt-BR; de also covers de-CH. Press Enter after each.",
  },
  referrer: {
    placeholder: "example.com",
    description: "Hosts, with all their sub-hosts, or app:<package>. Press Enter after each.",
  },
};

const DAY_NAMES = [
  ["mon", "Mon"],
  ["tue", "Tue"],
  ["wed", "Wed"],
  ["thu", "Thu"],
  ["fri", "Fri"],
  ["sat", "Sat"],
  ["sun", "Sun"],
] as const;

interface ConditionInputProps {
  condition: ConditionForm;
  /** Says which rule it is in, for screen readers. */
  label: string;
  error: string | undefined;
  onChange: (condition: ConditionForm) => void;
}

export function ConditionInput({ condition, label, error, onChange }: ConditionInputProps) {
  switch (condition.key) {
    case "after":
    case "before":
      return (
        <TextInput
          type="datetime-local"
          step={1}
          max="9998-12-31T23:59:59"
          aria-label={label}
          inputWrapperOrder={BELOW}
          description={`On the clocks of ${BROWSER_ZONE}.`}
          value={localInput(condition.value, BROWSER_ZONE)}
          error={error}
          onChange={(event) =>
            onChange({ ...condition, value: instantOfInput(event.currentTarget.value, BROWSER_ZONE) })
          }
        />
      );
    case "percent":
      return (
        <NumberInput
          aria-label={label}
          inputWrapperOrder={BELOW}
          description="From 0 to 100. Visitors keep their place from visit to visit."
          suffix=" %"
          min={0}
          max={100}
          clampBehavior="none"
          value={condition.value}
          error={error}
          onChange={(value) => onChange({ ...condition, value: typeof value === "number" ? value : "" })}
        />
      );
    case "query":
      return (
        <QueryInput
          parameters={condition.value}
          label={label}
          error={error}
          onChange={(value) => onChange({ ...condition, value })}
        />
      );
    case "time":
      return (
        <TimeInput
          time={condition.value}
          label={label}
          error={error}
          onChange={(value) => onChange({ ...condition, value })}
        />
      );
    default:
      return (
        <ListInput
          listKey={condition.key}
          values={condition.value}
          label={label}
          error={error}
          onChange={(value) => onChange({ ...condition, value })}
        />
      );
  }
}

interface InputProps {
  label: string;
  error: string | undefined;
}

interface ListInputProps extends InputProps {
  listKey: ListKey;
  values: string[];
  onChange: (values: string[]) => void;
}

function ListInput({ listKey, values, label, error, onChange }: ListInputProps) {
  const choices = CHOICES[listKey];
  if (choices) {
    return (
      <MultiSelect
        aria-label={label}
        data={choices}
        value={values}
        onChange={onChange}
        searchable={choices.length > 10}
        hidePickedOptions
        limit={300}
        placeholder={values.length === 0 ? "Any of …" : ""}
        nothingFoundMessage="None by that name"
        error={error}
      />
    );
  }
  const hint = HINTS[listKey];
  return (
    <TagsInput
      aria-label={label}
      value={values}
      onChange={onChange}
      acceptValueOnBlur
      placeholder={values.length === 0 ? hint?.placeholder : ""}
      inputWrapperOrder={BELOW}
      description={hint?.description}
      error={error}
    />
  );
}

interface QueryInputProps extends InputProps {
  parameters: QueryForm[];
  onChange: (parameters: QueryForm[]) => void;
}

function QueryInput({ parameters, label, error, onChange }: QueryInputProps) {
  const set = (index: number, change: Partial<QueryForm>) =>
    onChange(parameters.map((parameter, at) => (at === index ? { ...parameter, ...change } : parameter)));
  return (
    <Input.Wrapper
      error={error}
      inputWrapperOrder={BELOW}
      description="Each must be there, with this value or with any."
      role="group"
      aria-label={label}
    >
      <Stack gap="xs" mt={4}>
        {parameters.map((parameter, index) => (
          <Group key={index} gap="xs" align="flex-start" wrap="wrap">
            <TextInput
              aria-label={`${label}, name ${index + 1}`}
              placeholder="utm_source"
              w={160}
              value={parameter.name}
              onChange={(event) => set(index, { name: event.currentTarget.value })}
            />
            <Switch
              mt={8}
              label="any value"
              aria-label={`${label}, name ${index + 1}, any value`}
              checked={parameter.any}
              onChange={(event) => set(index, { any: event.currentTarget.checked })}
            />
            {!parameter.any && (
              <TagsInput
                aria-label={`${label}, values of name ${index + 1}`}
                placeholder={parameter.values.length === 0 ? "One of …" : ""}
                style={{ flex: "1 1 180px" }}
                acceptValueOnBlur
                value={parameter.values}
                onChange={(values) => set(index, { values })}
              />
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={4}
              aria-label={`Remove parameter ${index + 1}`}
              onClick={() => onChange(parameters.toSpliced(index, 1))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <ActionIcon
            variant="default"
            aria-label={`${label}: add a parameter`}
            onClick={() => onChange([...parameters, { name: "", any: true, values: [] }])}
          >
            <IconPlus size={16} aria-hidden />
          </ActionIcon>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

interface TimeInputProps extends InputProps {
  time: TimeForm;
  onChange: (time: TimeForm) => void;
}

function TimeInput({ time, label, error, onChange }: TimeInputProps) {
  return (
    <Input.Wrapper
      error={error}
      inputWrapperOrder={BELOW}
      description="A window over midnight belongs to the day it began. No days are all days."
      role="group"
      aria-label={label}
    >
      <Stack gap="xs" mt={4}>
        <Chip.Group multiple value={time.days} onChange={(days) => onChange({ ...time, days: inOrder(days) })}>
          <Group gap={6}>
            {DAY_NAMES.map(([day, name]) => (
              <Chip key={day} value={day} size="xs">
                {name}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <Group gap="xs" align="flex-end">
          <TextInput
            type="time"
            label="From"
            w={140}
            value={time.from}
            onChange={(event) => onChange({ ...time, from: event.currentTarget.value })}
          />
          <TextInput
            type="time"
            label="Until"
            w={140}
            // The end of the day has no clock face of its own.
            value={time.to === "24:00" ? "" : time.to}
            onChange={(event) => onChange({ ...time, to: event.currentTarget.value })}
          />
          <Select
            label="Time zone"
            style={{ flex: "1 1 200px" }}
            data={ZONE_CHOICES.includes(time.tz) ? ZONE_CHOICES : [time.tz, ...ZONE_CHOICES]}
            value={time.tz}
            onChange={(tz) => tz && onChange({ ...time, tz })}
            searchable
            limit={60}
            nothingFoundMessage="No such zone"
            allowDeselect={false}
          />
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

function inOrder(days: readonly string[]): string[] {
  return DAY_NAMES.map(([day]) => day).filter((day) => days.includes(day));
}
