/** Collapsible parts of the form for a new link. Closed, each summarizes its values; with an error, it is open. */
import { Collapse, Group, Stack, type TagsInputProps, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useId, useState } from "react";
import type { UseFormReturnType } from "@mantine/form";

import { TAG_MAX_CHARS, TAGS_MAX, TITLE_MAX_CHARS } from "../../../core/limits.ts";
import { tagKey } from "../../../core/links/case-folding.ts";
import { Hint } from "../../components/buttons.tsx";
import { ValuesInput } from "../../components/values-input.tsx";
import { browserTimeZone, formatDateTimeRange, formatIn, fromDatetimeLocal } from "../../formatting/dates.ts";
import { icon } from "../../icons.tsx";
import { memberTexts, scheduleTexts, tagTexts as texts } from "../../texts/link-form.ts";
import { createLinkTexts } from "../../texts/links.ts";
import classes from "./create-link.module.css";
import type { LinkForm } from "./link-form.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
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
