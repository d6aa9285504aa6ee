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
          description={texts.timeZone(BROWSER_TIME_ZONE)}
          value={toDatetimeLocal(condition.value, BROWSER_TIME_ZONE)}
          onChange={(event) =>
            onChange({ ...condition, value: fromDatetimeLocal(event.currentTarget.value, BROWSER_TIME_ZONE) })
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
          value={condition.value}
          onChange={(value) => onChange({ ...condition, value: typeof value === "number" ? value : "" })}
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

interface ListInputProps extends ConditionFieldProps {
  conditionKey: ListConditionKey;
  value: string[];
  onChange: (values: string[]) => void;
}

/** Input of a condition with a list of values, of which any may match: chosen from options, or typed. */
function ListInput({ conditionKey, label, ...input }: ListInputProps) {
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
    <TagsInput
      {...input}
      aria-label={label}
      acceptValueOnBlur
      placeholder={isEmpty ? field.placeholder : ""}
      inputWrapperOrder={DESCRIPTION_BELOW}
      description={field.description}
    />
  );
}
