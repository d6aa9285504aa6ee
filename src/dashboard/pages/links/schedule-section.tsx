/** When a new link opens and ends. */
import type { UseFormReturnType } from "@mantine/form";

import { formatDateTimeRange, formatIn } from "../../formatting/dates.ts";
import { fromDatetimeLocal } from "../../formatting/datetime-local.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { scheduleTexts as texts } from "../../texts/link-form.ts";
import { FormSection } from "./form-section.tsx";
import type { LinkForm } from "./link-form.ts";
import { ScheduleFields } from "./schedule-fields.tsx";

const FIELDS = ["starts_at", "expires_at", "fallback_url"] as const;

export function ScheduleSection({ form }: { form: UseFormReturnType<LinkForm> }) {
  const { starts_at, expires_at } = form.values;
  return (
    <FormSection
      title={texts.title}
      summary={summaryOf(
        fromDatetimeLocal(starts_at, BROWSER_TIME_ZONE),
        fromDatetimeLocal(expires_at, BROWSER_TIME_ZONE),
      )}
      hasError={FIELDS.some((name) => form.errors[name] !== undefined)}
    >
      <ScheduleFields
        values={form.values}
        inputProps={(name) => form.getInputProps(name)}
        onClear={(name) => form.setFieldValue(name, "")}
      />
    </FormSection>
  );
}

function summaryOf(opens: string, ends: string): string {
  if (opens !== "" && ends > opens) return formatDateTimeRange(opens, ends, BROWSER_TIME_ZONE);
  if (opens !== "") return texts.from(formatIn("dateTimeToMinute", opens));
  return ends === "" ? "" : texts.until(formatIn("dateTimeToMinute", ends));
}
