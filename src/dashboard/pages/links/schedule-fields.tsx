/** Fields of both link forms: when a link is open, where it redirects otherwise, how it redirects, and the switches. */
import { Group, NativeSelect, Switch, TextInput, type TextInputProps } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import { LINK_PASSWORD_MAX_CHARS, LINK_PASSWORD_MIN_CHARS } from "../../../core/limits.ts";
import { FLAG_MEMBERS, REDIRECT_STATUSES } from "../../../core/links/link-members.ts";
import { DestinationInput, ExactInput } from "../../components/destination-input.tsx";
import { PlainButton } from "../../components/buttons.tsx";
import { browserTimeZone } from "../../formatting/dates.ts";
import {
  flagTexts,
  memberTexts,
  passwordTexts,
  redirectStatusTexts,
  scheduleTexts as texts,
} from "../../texts/link-form.ts";
import type { EditLinkValues } from "./link-form.ts";

interface ScheduleFieldsProps {
  /** Instants in the format of a `datetime-local` input; empty for none. */
  form: Pick<UseFormReturnType<EditLinkValues>, "values" | "getInputProps" | "setFieldValue">;
  expiresHint?: string;
}

export function ScheduleFields({ form, expiresHint = texts.expiresHint(browserTimeZone()) }: ScheduleFieldsProps) {
  const { starts_at, expires_at, fallback_url, paused } = form.values;
  return (
    <>
      <InstantInput
        label={memberTexts.starts_at}
        description={texts.opensHint(browserTimeZone())}
        {...form.getInputProps("starts_at")}
        onClear={() => form.setFieldValue("starts_at", "")}
      />
      <InstantInput
        label={memberTexts.expires_at}
        description={expiresHint}
        {...form.getInputProps("expires_at")}
        onClear={() => form.setFieldValue("expires_at", "")}
      />
      {(starts_at !== "" || expires_at !== "" || fallback_url !== "" || paused) && (
        <DestinationInput
          label={texts.fallback}
          description={texts.fallbackHint}
          {...form.getInputProps("fallback_url")}
        />
      )}
    </>
  );
}

interface RedirectFieldsProps {
  form: Pick<UseFormReturnType<EditLinkValues>, "values" | "getInputProps">;
  /** Whether the link has a password, which stays if none is typed. */
  hasPassword?: boolean;
}

/** The password, the status of redirects, and a switch for each member that is on or off. */
export function RedirectFields({ form, hasPassword = false }: RedirectFieldsProps) {
  return (
    <>
      <Switch
        label={passwordTexts.require}
        description={passwordTexts.requireHint}
        {...form.getInputProps("password_protected", { type: "checkbox" })}
      />
      {form.values.password_protected && (
        // Not hidden: its owner tells others what they must type, and browsers must not save it as a sign-in.
        <ExactInput
          label={passwordTexts.label}
          description={
            hasPassword ? passwordTexts.keepHint : passwordTexts.hint(LINK_PASSWORD_MIN_CHARS, LINK_PASSWORD_MAX_CHARS)
          }
          {...form.getInputProps("password")}
        />
      )}
      {FLAG_MEMBERS.map((name) => (
        <Switch
          key={name}
          label={flagTexts[name].label}
          description={flagTexts[name].hint}
          {...form.getInputProps(name, { type: "checkbox" })}
        />
      ))}
      <NativeSelect
        label={redirectStatusTexts.label}
        description={redirectStatusTexts.hint}
        data={REDIRECT_STATUSES.map((status) => ({ value: String(status), label: redirectStatusTexts.names[status] }))}
        {...form.getInputProps("redirect_status")}
      />
    </>
  );
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
      <PlainButton
        px="sm"
        disabled={!input.value}
        aria-label={texts.clear(input.label)}
        mb={input.error ? "lg" : 0}
        onClick={onClear}
      >
        {texts.clearShort}
      </PlainButton>
    </Group>
  );
}
