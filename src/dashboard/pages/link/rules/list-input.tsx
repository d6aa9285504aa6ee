/** Input of a condition with a list of values, of which any may match: chosen from options, or typed. */
import { MultiSelect, TagsInput } from "@mantine/core";

import { DESCRIPTION_BELOW, type ConditionFieldProps } from "./condition-field.ts";
import { type ListConditionKey, listField } from "./condition-kinds.ts";

interface ListInputProps extends ConditionFieldProps {
  conditionKey: ListConditionKey;
  values: string[];
  onChange: (values: string[]) => void;
}

export function ListInput({ conditionKey, values, label, error, onChange }: ListInputProps) {
  const field = listField(conditionKey);
  if (field.options) {
    const { options } = field;
    return (
      <MultiSelect
        aria-label={label}
        data={options}
        value={values}
        onChange={onChange}
        searchable={options.length > 10}
        hidePickedOptions
        limit={300}
        placeholder={values.length === 0 ? "Any of …" : ""}
        nothingFoundMessage="None by that name"
        error={error}
      />
    );
  }
  return (
    <TagsInput
      aria-label={label}
      value={values}
      onChange={onChange}
      acceptValueOnBlur
      placeholder={values.length === 0 ? field.placeholder : ""}
      inputWrapperOrder={DESCRIPTION_BELOW}
      description={field.description}
      error={error}
    />
  );
}
