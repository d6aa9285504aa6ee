/** Collapsible parts of the form for a new link. Closed, each summarizes its values; with an error, it is open. */
import { Collapse, Group, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useId } from "react";
import type { UseFormReturnType } from "@mantine/form";

import { TITLE_MAX_CHARS } from "../../../core/limits.ts";
import { Hint } from "../../components/buttons.tsx";
import { formatDateTimeRange, formatIn } from "../../formatting/dates.ts";
import { browserTimeZone, fromDatetimeLocal } from "../../formatting/time-zones.ts";
import { icon } from "../../icons.tsx";
import { scheduleTexts, memberTexts } from "../../texts/link-form.ts";
import { createLinkTexts } from "../../texts/links.ts";
import classes from "./create-link.module.css";
import type { LinkForm } from "./link-form.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
import { TagsField } from "./tags-field.tsx";

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
