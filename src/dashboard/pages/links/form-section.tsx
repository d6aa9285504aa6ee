/** A part of a form that folds away. Closed, it says what is filled in; with an error it is open. */
import { Collapse, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useId } from "react";

import { IconChevronRight } from "../../icons.tsx";
import classes from "./create-link.module.css";

interface FormSectionProps {
  title: string;
  /** What is filled in; empty for nothing. */
  summary: string;
  hasError?: boolean;
  children: ReactNode;
}

export function FormSection({ title, summary, hasError = false, children }: FormSectionProps) {
  const [isOpen, { toggle, open }] = useDisclosure();
  // It stays open when typing clears the error: folding away would take the focus.
  if (hasError && !isOpen) open();
  const id = useId();
  return (
    <div className={classes.section}>
      <UnstyledButton className={classes.sectionTitle} onClick={toggle} aria-expanded={isOpen} aria-controls={id}>
        <Group gap="xs" wrap="nowrap">
          <IconChevronRight size={16} aria-hidden className={classes.chevron} data-open={isOpen || undefined} />
          <Text span size="sm" fw={500} className={classes.sectionName}>
            {title}
          </Text>
          {!isOpen && summary !== "" && (
            <Text span size="sm" c="dimmed" truncate>
              {summary}
            </Text>
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
