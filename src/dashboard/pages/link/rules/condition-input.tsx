/** The input of one condition, by its key. */
import { NumberInput, TextInput } from "@mantine/core";

import { fromDatetimeLocal, toDatetimeLocal } from "../../../formatting/datetime-local.ts";
import { BROWSER_TIME_ZONE } from "../../../formatting/time-zones.ts";
import { conditionTexts as texts } from "../../../texts/rules.ts";
import { DESCRIPTION_BELOW } from "./condition-field.ts";
import { ListInput } from "./list-input.tsx";
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
