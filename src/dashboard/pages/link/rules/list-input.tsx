/** Values of which any may match: picked by name where there is a list of them, else typed. */
import { MultiSelect, TagsInput } from "@mantine/core";

import { CONTINENT_OPTIONS, COUNTRY_OPTIONS } from "../place-names.ts";
import { BROWSER_OPTIONS, DEVICE_OPTIONS, OS_OPTIONS } from "../software-names.ts";
import { DESCRIPTION_BELOW, type ConditionFieldProps } from "./condition-field.ts";
import type { ListConditionKey } from "./rule-form.ts";

const OPTIONS: Partial<Record<ListConditionKey, { value: string; label: string }[]>> = {
  country: COUNTRY_OPTIONS,
  continent: CONTINENT_OPTIONS,
  device: DEVICE_OPTIONS,
  os: OS_OPTIONS,
  browser: BROWSER_OPTIONS,
  source: [
    { value: "link", label: "Link" },
    { value: "qr", label: "QR code" },
  ],
};

/** What to type where any text will do. Several are any of them. */
const TEXT_HINTS: Partial<Record<ListConditionKey, { placeholder: string; description: string }>> = {
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

interface ListInputProps extends ConditionFieldProps {
  listKey: ListConditionKey;
  values: string[];
  onChange: (values: string[]) => void;
}

export function ListInput({ listKey, values, label, error, onChange }: ListInputProps) {
  const options = OPTIONS[listKey];
  if (options) {
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
  const hint = TEXT_HINTS[listKey];
  return (
    <TagsInput
      aria-label={label}
      value={values}
      onChange={onChange}
      acceptValueOnBlur
      placeholder={values.length === 0 ? hint?.placeholder : ""}
      inputWrapperOrder={DESCRIPTION_BELOW}
      description={hint?.description}
      error={error}
    />
  );
}
