/** Input of a condition with a list of values, of which any may match: chosen from options, or typed. */
import { MultiSelect, TagsInput } from "@mantine/core";

import { conditionTexts as texts } from "../../../texts/rules.ts";
import { DESCRIPTION_BELOW, type ConditionFieldProps } from "./condition-field.ts";
import { type ListConditionKey, listField } from "./condition-kinds.ts";
import { rankOptions } from "./option-filter.ts";

interface ListInputProps extends ConditionFieldProps {
  conditionKey: ListConditionKey;
  values: string[];
  onChange: (values: string[]) => void;
}

export function ListInput({ conditionKey, values, label, error, autoFocus, onChange }: ListInputProps) {
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
