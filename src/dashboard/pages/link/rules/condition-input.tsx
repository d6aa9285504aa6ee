/** The input of one condition, by its key. */
import {
  MultiSelect,
  NumberInput,
  TextInput,
  Chip,
  Group,
  Input,
  type InputWrapperProps,
  Select,
  Stack,
  Switch,
} from "@mantine/core";
import { useState } from "react";

import { IconButton, PlainButton } from "../../../components/buttons.tsx";
import { ValuesInput } from "../../../components/values-input.tsx";
import { browserTimeZone, fromDatetimeLocal, timeZoneOptions, toDatetimeLocal } from "../../../formatting/dates.ts";
import { icon } from "../../../icons.tsx";
import { conditionTexts as texts } from "../../../texts/rules.ts";
import { type ListConditionKey, listField, rankOptions } from "./condition-kinds.ts";
import type { ConditionForm, TimeWindowForm, QueryParameterForm } from "./rule-form.ts";

interface ConditionFieldProps {
  label: string;
  error: string | undefined;
  /** Gets the focus when it appears, because it was just added. */
  autoFocus: boolean;
}

/** A description above the input would misalign it with the condition's name beside it. */
const DESCRIPTION_BELOW: ("input" | "description" | "error")[] = ["input", "description", "error"];

interface ConditionInputProps extends ConditionFieldProps {
  condition: ConditionForm;
  onChange: (condition: ConditionForm) => void;
}

export function ConditionInput({ condition, onChange, ...field }: ConditionInputProps) {
  const { label, ...input } = field;
  switch (condition.key) {
    case "after":
    case "before":
      return (
        <TextInput
          {...input}
          type="datetime-local"
          step={1}
          max="9998-12-31T23:59:59"
          aria-label={label}
          inputWrapperOrder={DESCRIPTION_BELOW}
          description={texts.timeZone(browserTimeZone())}
          value={toDatetimeLocal(condition.value, browserTimeZone())}
          onChange={(event) =>
            onChange({ ...condition, value: fromDatetimeLocal(event.currentTarget.value, browserTimeZone()) })
          }
        />
      );
    case "percent":
      return (
        <NumberInput
          {...input}
          aria-label={label}
          inputWrapperOrder={DESCRIPTION_BELOW}
          description={texts.shareHint}
          suffix=" %"
          min={0}
          max={100}
          clampBehavior="none"
          value={condition.value ?? ""}
          onChange={(value) => onChange({ ...condition, value: typeof value === "number" ? value : null })}
        />
      );
    case "query":
      return <QueryInput {...field} {...condition} onChange={(value) => onChange({ ...condition, value })} />;
    case "time":
      return <TimeInput {...field} {...condition} onChange={(value) => onChange({ ...condition, value })} />;
    default:
      return (
        <ListInput
          {...field}
          conditionKey={condition.key}
          value={condition.value}
          onChange={(value) => onChange({ ...condition, value })}
        />
      );
  }
}

interface InputProps<V> extends ConditionFieldProps {
  value: V;
  onChange: (value: V) => void;
}

/** Input of a condition with a list of values, any of which may match: chosen from options, or typed. */
function ListInput({ conditionKey, label, ...input }: InputProps<string[]> & { conditionKey: ListConditionKey }) {
  const field = listField(conditionKey);
  const isEmpty = input.value.length === 0;
  if (field.options) {
    return (
      <MultiSelect
        {...input}
        aria-label={label}
        data={field.options}
        searchable={field.options.length > 10}
        selectFirstOptionOnChange
        filter={rankOptions}
        hidePickedOptions
        limit={300}
        placeholder={isEmpty ? texts.chooseSome : ""}
        nothingFoundMessage={texts.noneFound}
      />
    );
  }
  return (
    <ValuesInput
      {...input}
      aria-label={label}
      placeholder={isEmpty ? field.placeholder : ""}
      inputWrapperOrder={DESCRIPTION_BELOW}
      description={field.description}
    />
  );
}

/** Several inputs of one condition. */
function InputGroup({ label, children, ...wrapper }: InputWrapperProps & { label: string }) {
  return (
    <Input.Wrapper inputWrapperOrder={DESCRIPTION_BELOW} role="group" aria-label={label} {...wrapper}>
      <Stack gap="xs" mt={4}>
        {children}
      </Stack>
    </Input.Wrapper>
  );
}

/** Input of the `time` condition: days, hours, time zone. */

function TimeInput({ value: time, label, error, autoFocus, onChange }: InputProps<TimeWindowForm>) {
  const { days = [], tz } = time;
  return (
    <InputGroup label={label} error={error} description={texts.timeHint}>
      <Chip.Group multiple value={days} onChange={(chosen) => onChange({ ...time, days: inWeekOrder(chosen) })}>
        <Group gap={6}>
          {Object.entries(texts.days).map(([day, name], index) => (
            <Chip key={day} value={day} size="xs" autoFocus={autoFocus && index === 0}>
              {name}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Group gap="xs" align="flex-end">
        {(
          [
            ["from", texts.from],
            ["to", texts.until],
          ] as const
        ).map(([end, name]) => (
          <TextInput
            key={end}
            type="time"
            label={name}
            w={140}
            // A time input cannot show 24:00.
            value={time[end]?.replace("24:00", "") ?? ""}
            onChange={(event) => onChange({ ...time, [end]: event.currentTarget.value || undefined })}
          />
        ))}
        <Select
          label={texts.zone}
          style={{ flex: "1 1 200px" }}
          data={timeZoneOptions().includes(tz) ? timeZoneOptions() : [tz, ...timeZoneOptions()]}
          value={tz}
          onChange={(chosen) => chosen && onChange({ ...time, tz: chosen })}
          searchable
          limit={60}
          nothingFoundMessage={texts.noSuchZone}
          selectFirstOptionOnChange
          filter={rankOptions}
        />
      </Group>
    </InputGroup>
  );
}

function inWeekOrder(chosen: readonly string[]): TimeWindowForm["days"] {
  const days = (Object.keys(texts.days) as (keyof typeof texts.days)[]).filter((day) => chosen.includes(day));
  return days.length > 0 ? days : undefined;
}

/** Input of the `query` condition: required parameters, each with any value or one of a list. */
function QueryInput({ value: parameters, label, error, autoFocus, onChange }: InputProps<QueryParameterForm[]>) {
  /** The parameter that was added last gets the focus. */
  const [added, setAdded] = useState(autoFocus ? 0 : -1);
  const set = (index: number, change: Partial<QueryParameterForm>) =>
    onChange(parameters.map((parameter, at) => (at === index ? { ...parameter, ...change } : parameter)));
  return (
    <InputGroup label={label} error={error} description={texts.queryHint}>
      {parameters.map((parameter, index) => (
        <Group key={index} gap="xs" align="flex-start" wrap="wrap">
          <TextInput
            autoFocus={index === added}
            aria-label={texts.parameterName(label, index + 1)}
            placeholder={texts.parameterPlaceholder}
            w={160}
            value={parameter.name}
            onChange={(event) => set(index, { name: event.currentTarget.value })}
          />
          <Switch
            mt={8}
            label={texts.anyValue}
            aria-label={texts.parameterAnyValue(label, index + 1)}
            checked={parameter.any}
            onChange={(event) => set(index, { any: event.currentTarget.checked })}
          />
          {!parameter.any && (
            <ValuesInput
              aria-label={texts.parameterValues(label, index + 1)}
              placeholder={parameter.values.length === 0 ? texts.parameterValuesPlaceholder : ""}
              style={{ flex: "1 1 180px" }}
              value={parameter.values}
              onChange={(values) => set(index, { values })}
            />
          )}
          <IconButton
            mt={4}
            label={texts.removeParameter(label, index + 1)}
            sign={icon("x", 16)}
            onClick={() => onChange(parameters.toSpliced(index, 1))}
          />
        </Group>
      ))}
      <PlainButton
        w="fit-content"
        size="compact-sm"
        leftSection={icon("plus", 14)}
        aria-label={texts.addParameter(label)}
        onClick={() => {
          setAdded(parameters.length);
          onChange([...parameters, { name: "", any: true, values: [] }]);
        }}
      >
        {texts.addParameterShort}
      </PlainButton>
    </InputGroup>
  );
}
