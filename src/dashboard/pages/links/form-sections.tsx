/**
 * Collapsible parts of the form for a new link. Closed, each summarizes its values; with an error, it is open. The
 * fields that they have in common with the form of a present link.
 */
import {
  Collapse,
  Group,
  NativeSelect,
  Stack,
  Switch,
  type TagsInputProps,
  Text,
  TextInput,
  type TextInputProps,
  UnstyledButton,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useId, useState } from "react";
import type { UseFormReturnType } from "@mantine/form";

import {
  LINK_PASSWORD_MAX_CHARS,
  LINK_PASSWORD_MIN_CHARS,
  TAG_MAX_CHARS,
  TAGS_MAX,
  TITLE_MAX_CHARS,
} from "../../../core/limits.ts";
import { tagKey } from "../../../core/links/case-folding.ts";
import { FLAG_MEMBERS, REDIRECT_STATUSES } from "../../../core/links/link-members.ts";
import { Hint, PlainButton } from "../../components/buttons.tsx";
import { DestinationInput, ExactInput } from "../../components/inputs.tsx";
import { ValuesInput } from "../../components/values-input.tsx";
import { browserTimeZone, formatDateTimeRange, formatIn, fromDatetimeLocal } from "../../formatting/dates.ts";
import { icon } from "../../icons.tsx";
import {
  flagTexts,
  memberTexts,
  passwordTexts,
  redirectStatusTexts,
  scheduleTexts,
  tagTexts as texts,
} from "../../texts/link-form.ts";
import { createLinkTexts } from "../../texts/links.ts";
import classes from "./create-link.module.css";
import type { LinkFields, LinkForm } from "./link-form.ts";
import { uniqueTags, useFoundTags } from "./tag-lists.ts";

interface FormSectionProps {
  title: string;
  /** Summary of the values; empty if there are none. */
  summary: string;
  hasError?: boolean;
  children: ReactNode;
}

export function FormSection({ title, summary, hasError = false, children }: FormSectionProps) {
  const [isOpen, { toggle, open }] = useDisclosure();
  // Stays open when typing clears the error: collapsing would take the focus away.
  if (hasError && !isOpen) open();
  const id = useId();
  return (
    <div className={classes.section}>
      <UnstyledButton className={classes.sectionTitle} onClick={toggle} aria-expanded={isOpen} aria-controls={id}>
        <Group gap="xs" wrap="nowrap">
          {icon("chevron-right", 16, { className: classes.chevron, "data-open": isOpen || undefined })}
          <Text span size="sm" fw={500} className={classes.sectionName}>
            {title}
          </Text>
          {!isOpen && summary !== "" && (
            <Hint span truncate>
              {summary}
            </Hint>
          )}
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen} id={id}>
        <Stack gap="sm" pb="sm">
          {children}
        </Stack>
      </Collapse>
    </div>
  );
}

/** Title and tags of a new link: for the account's members, never shown to visitors. */
export function TitleSection({ form }: { form: UseFormReturnType<LinkForm> }) {
  const { title, tags } = form.values;
  return (
    <FormSection
      title={createLinkTexts.titleAndTags}
      summary={[title.trim(), ...tags].filter((text) => text !== "").join(", ")}
      hasError={form.errors.title !== undefined || form.errors.tags !== undefined}
    >
      <TextInput
        label={memberTexts.title}
        description={memberTexts.titleHint}
        maxLength={TITLE_MAX_CHARS}
        {...form.getInputProps("title")}
      />
      <TagsField label={memberTexts.tags} description={createLinkTexts.tagsHint} {...form.getInputProps("tags")} />
    </FormSection>
  );
}

const FIELDS = ["starts_at", "expires_at", "fallback_url"] as const;

/** When a new link opens and ends. */
export function ScheduleSection({ form }: { form: UseFormReturnType<LinkForm> }) {
  const { starts_at, expires_at } = form.values;
  return (
    <FormSection
      title={scheduleTexts.title}
      summary={summaryOf(
        fromDatetimeLocal(starts_at, browserTimeZone()),
        fromDatetimeLocal(expires_at, browserTimeZone()),
      )}
      hasError={FIELDS.some((name) => form.errors[name] !== undefined)}
    >
      <ScheduleFields form={form} />
    </FormSection>
  );
}

function summaryOf(opens: string, ends: string): string {
  if (opens !== "" && ends > opens) return formatDateTimeRange(opens, ends, browserTimeZone());
  if (opens !== "") return scheduleTexts.from(formatIn("dateTimeToMinute", opens));
  return ends === "" ? "" : scheduleTexts.until(formatIn("dateTimeToMinute", ends));
}

/** Tags input, with the tags of other links as suggestions. */
export function TagsField({ value = [], ...input }: TagsInputProps) {
  const [search, setSearch] = useState("");
  const { found } = useFoundTags([...search].slice(0, TAG_MAX_CHARS).join(""));
  return (
    <ValuesInput
      placeholder={value.length === 0 ? texts.placeholder : ""}
      clean={tagsOf}
      onSearchChange={setSearch}
      value={value}
      data={found}
      isDuplicate={(tag, others) => others.some((one) => tagKey(one) === tagKey(tag))}
      maxTags={TAGS_MAX}
      splitChars={[","]}
      // Below the input, it would cover the buttons of a dialog.
      comboboxProps={{ position: "top-start", middlewares: { flip: false, shift: true } }}
      maxDropdownHeight={148}
      clearable
      clearButtonProps={{ "aria-label": texts.clear }}
      {...input}
    />
  );
}

function tagsOf(typed: readonly string[]): string[] {
  const tags = typed.map((text) => [...text.trim()].slice(0, TAG_MAX_CHARS).join(""));
  return uniqueTags(tags.filter((tag) => tag !== "")).slice(0, TAGS_MAX);
}

/** Fields of both link forms: when a link is open, where it redirects otherwise, how it redirects, and the switches. */

interface ScheduleFieldsProps {
  /** Instants in the format of a `datetime-local` input; empty for none. */
  form: LinkFields;
  expiresHint?: string;
}

export function ScheduleFields({
  form,
  expiresHint = scheduleTexts.expiresHint(browserTimeZone()),
}: ScheduleFieldsProps) {
  const { starts_at, expires_at, fallback_url, paused } = form.values;
  return (
    <>
      <InstantInput
        label={memberTexts.starts_at}
        description={scheduleTexts.opensHint(browserTimeZone())}
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
          label={scheduleTexts.fallback}
          description={scheduleTexts.fallbackHint}
          {...form.getInputProps("fallback_url")}
        />
      )}
    </>
  );
}

interface RedirectFieldsProps {
  form: LinkFields;
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
        aria-label={scheduleTexts.clear(input.label)}
        mb={input.error ? "lg" : 0}
        onClick={onClear}
      >
        {scheduleTexts.clearShort}
      </PlainButton>
    </Group>
  );
}
