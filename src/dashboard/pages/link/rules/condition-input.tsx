/** The input of one condition, by its key. */
import { MultiSelect, NumberInput, TagsInput, TextInput } from "@mantine/core";

import { fromDatetimeLocal, toDatetimeLocal } from "../../../formatting/datetime-local.ts";
import { BROWSER_TIME_ZONE } from "../../../formatting/time-zones.ts";
import { conditionTexts as texts } from "../../../texts/rules.ts";
import { type ConditionFieldProps, DESCRIPTION_BELOW, type ListConditionKey, listField } from "./condition-kinds.ts";
import { rankOptions } from "./option-filter.ts";
import { QueryInput } from "./query-input.tsx";
import type { ConditionForm } from "./rule-form.ts";
import { TimeInput } from "./time-input.tsx";

interface ConditionInputProps {
  condition: ConditionForm;
  /** For screen readers, with the rule's number. */
  label: string;
  error: string | undefined;
  autoFocus: boolean;
  onChange: (condition: ConditionForm) => void;
}

export function ConditionInput({ condition, label, error, autoFocus, onChange }: ConditionInputProps) {
  switch (condition.key) {
    case "after":
    case "before":
      return (
        <TextInput
          type="datetime-local"
          step={1}
          max="9998-12-31T23:59:59"
          aria-label={label}
          inputWrapperOrder={DESCRIPTION_BELOW}
          description={texts.timeZone(BROWSER_TIME_ZONE)}
          value={toDatetimeLocal(condition.value, BROWSER_TIME_ZONE)}
          error={error}
          autoFocus={autoFocus}
          onChange={(event) =>
            onChange({ ...condition, value: fromDatetimeLocal(event.currentTarget.value, BROWSER_TIME_ZONE) })
          }
        />
      );
    case "percent":
      return (
        <NumberInput
          aria-label={label}
          inputWrapperOrder={DESCRIPTION_BELOW}
          description={texts.shareHint}
          suffix=" %"
          min={0}
          max={100}
          clampBehavior="none"
          value={condition.value}
          error={error}
          autoFocus={autoFocus}
          onChange={(value) => onChange({ ...condition, value: typeof value === "number" ? value : "" })}
        />
      );
    case "query":
      return (
        <QueryInput
          parameters={condition.value}
          label={label}
          error={error}
          autoFocus={autoFocus}
          onChange={(value) => onChange({ ...condition, value })}
        />
      );
    case "time":
      return (
        <TimeInput
          time={condition.value}
          label={label}
          error={error}
          autoFocus={autoFocus}
          onChange={(value) => onChange({ ...condition, value })}
        />
      );
    default:
      return (
        <ListInput
          conditionKey={condition.key}
          values={condition.value}
          label={label}
          error={error}
          autoFocus={autoFocus}
          onChange={(value) => onChange({ ...condition, value })}
        />
      );
  }
}

interface ListInputProps extends ConditionFieldProps {
  conditionKey: ListConditionKey;
  values: string[];
  onChange: (values: string[]) => void;
}

/** Input of a condition with a list of values, of which any may match: chosen from options, or typed. */
function ListInput({ conditionKey, values, label, error, autoFocus, onChange }: ListInputProps) {
  const field = listField(conditionKey);
  if (field.options) {
    const { options } = field;
    return (
      <MultiSelect
        aria-label={label}
        data={options}
        value={values}
        onChange={onChange}
        autoFocus={autoFocus}
        searchable={options.length > 10}
        selectFirstOptionOnChange
        filter={rankOptions}
        hidePickedOptions
        limit={300}
        placeholder={values.length === 0 ? texts.chooseSome : ""}
        nothingFoundMessage={texts.noneFound}
        error={error}
      />
    );
  }
  return (
    <TagsInput
      aria-label={label}
      value={values}
      onChange={onChange}
      autoFocus={autoFocus}
      acceptValueOnBlur
      placeholder={values.length === 0 ? field.placeholder : ""}
      inputWrapperOrder={DESCRIPTION_BELOW}
      description={field.description}
      error={error}
    />
  );
}
