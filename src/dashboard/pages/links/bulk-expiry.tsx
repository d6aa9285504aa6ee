/** Sets or removes the expiry of the selected links. */
import { Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";

import { fromDatetimeLocal } from "../../formatting/datetime-local.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { bulkActionTexts as texts } from "../../texts/links.ts";
import { BulkDialog, type BulkDialogProps } from "./bulk-dialog.tsx";

const CHOICES = ["at", "now", "never"] as const;
type Choice = (typeof CHOICES)[number];

export default function BulkExpiry(props: BulkDialogProps) {
  const [choice, setChoice] = useState<Choice>("at");
  const [time, setTime] = useState("");
  const expiry = expiryOf(choice, time);
  return (
    <BulkDialog
      {...props}
      title={texts.expiryTitle(props.links.length)}
      submitLabel={texts.save}
      request={expiry === undefined ? null : { kind: "update", changes: () => ({ expires_at: expiry() }) }}
      doneMessage={texts.expirySet}
    >
      <Radio.Group
        label={texts.expiry}
        value={choice}
        onChange={(value) => setChoice(CHOICES.find((one) => one === value) ?? "at")}
      >
        <Stack gap="xs" mt="xs">
          {CHOICES.map((value) => (
            <Radio key={value} value={value} label={texts.expiryChoices[value]} />
          ))}
        </Stack>
      </Radio.Group>
      {choice === "at" && (
        <TextInput
          label={texts.expiresAt}
          description={texts.timeZoneHint}
          type="datetime-local"
          max="9998-12-31T23:59"
          value={time}
          onChange={(event) => setTime(event.currentTarget.value)}
        />
      )}
    </BulkDialog>
  );
}

/** @returns what is sent, read when it is sent; undefined while the time is not filled in */
function expiryOf(choice: Choice, time: string): (() => string | null) | undefined {
  if (choice === "never") return () => null;
  if (choice === "now") return () => new Date().toISOString();
  const at = fromDatetimeLocal(time, BROWSER_TIME_ZONE);
  return at === "" ? undefined : () => at;
}
