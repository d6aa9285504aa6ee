/** Values of which any may match: picked by name where there is a list of them, else typed. */
import { MultiSelect, TagsInput } from "@mantine/core";

import { CONTINENT_CHOICES, COUNTRY_CHOICES } from "../place-names.ts";
import { BROWSER_CHOICES, DEVICE_CHOICES, OS_CHOICES } from "../software-names.ts";
import { BELOW, type InputProps } from "./input-props.ts";
import type { ListKey } from "./rule-form.ts";

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

interface ListInputProps extends InputProps {
  listKey: ListKey;
  values: string[];
  onChange: (values: string[]) => void;
}

export function ListInput({ listKey, values, label, error, onChange }: ListInputProps) {
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
