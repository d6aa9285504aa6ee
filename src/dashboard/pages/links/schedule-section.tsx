/** When a new link ends. */
import { TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import { formatDateTime } from "../../formatting/dates.ts";
import { fromDatetimeLocal } from "../../formatting/datetime-local.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { createLinkTexts as texts } from "../../texts.ts";
import { FormSection } from "./form-section.tsx";
import type { LinkForm } from "./link-form.ts";

export function ScheduleSection({ form }: { form: UseFormReturnType<LinkForm> }) {
  const expiry = fromDatetimeLocal(form.values.expires_at, BROWSER_TIME_ZONE);
  return (
    <FormSection
      title={texts.schedule}
      summary={expiry === "" ? "" : texts.until(formatDateTime(expiry))}
      hasError={form.errors.expires_at !== undefined}
    >
      <TextInput
        label={texts.expires}
        description={texts.expiresHint}
        type="datetime-local"
        {...form.getInputProps("expires_at")}
      />
    </FormSection>
  );
}
