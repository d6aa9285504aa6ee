/** When a link is open, where it leads while it is not, and what of the visitor's URL goes along. Of both link forms. */
import { Button, Group, Switch, type SwitchProps, TextInput, type TextInputProps } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";

import { DestinationInput } from "../../components/destination-input.tsx";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { instantTexts, scheduleTexts as texts } from "../../texts/link-form.ts";

/** Instants as a `datetime-local` input writes them; empty for none. */
interface ScheduleValues {
  starts_at: string;
  expires_at: string;
  fallback_url: string;
}

interface ScheduleFieldsProps {
  values: ScheduleValues;
  inputProps: (name: keyof ScheduleValues) => GetInputPropsReturnType;
  onClear: (name: "starts_at" | "expires_at") => void;
  expiresHint?: string;
}

export function ScheduleFields({
  values: { starts_at, expires_at, fallback_url },
  inputProps,
  onClear,
  expiresHint = texts.expiresHint(BROWSER_TIME_ZONE),
}: ScheduleFieldsProps) {
  const hasFallback = starts_at !== "" || expires_at !== "" || fallback_url !== "";
  return (
    <>
      <InstantInput
        label={texts.opens}
        description={texts.opensHint(BROWSER_TIME_ZONE)}
        {...inputProps("starts_at")}
        onClear={() => onClear("starts_at")}
      />
      <InstantInput
        label={texts.expires}
        description={expiresHint}
        {...inputProps("expires_at")}
        onClear={() => onClear("expires_at")}
      />
      {hasFallback && (
        <DestinationInput label={texts.fallback} description={texts.fallbackHint} {...inputProps("fallback_url")} />
      )}
    </>
  );
}

export function ForwardQuerySwitch(input: SwitchProps) {
  return <Switch label={texts.forward} description={texts.forwardHint} {...input} />;
}

interface InstantInputProps extends TextInputProps {
  label: string;
  value?: string;
  onClear: () => void;
}

/** The input of an instant in the browser's time zone, with a button that clears it: phones have no other way. */
function InstantInput({ onClear, ...input }: InstantInputProps) {
  return (
    <Group align="flex-end" wrap="nowrap" gap="xs">
      <TextInput type="datetime-local" step={1} max="9998-12-31T23:59:59" flex={1} miw={0} {...input} />
      <Button
        variant="default"
        px="sm"
        disabled={!input.value}
        aria-label={instantTexts.clear(input.label)}
        mb={input.error ? "lg" : 0}
        onClick={onClear}
      >
        {instantTexts.clearShort}
      </Button>
    </Group>
  );
}
