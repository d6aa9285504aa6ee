/**
 * The frame of every page: its title in the window and as the heading. After navigation, the heading gets the focus, so
 * that a screen reader announces the page and the keyboard continues from there.
 */
import { Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef } from "react";

import { useMode } from "../mode.ts";

/** The first page after loading leaves the focus where the browser put it. */
let isFirstPage = true;

interface PageProps {
  title: string;
  /** Shown on the line of the heading, after it. */
  beside?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, beside, description, actions, children }: PageProps) {
  const { mode } = useMode();
  const headingRef = useRef<HTMLHeadingElement>(null);

  useDocumentTitle(`${title} · Hoplink${mode === "test" ? " (test mode)" : ""}`);
  useEffect(() => {
    if (!isFirstPage) headingRef.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);

  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className="page-heading">
          <Group gap="xs">
            <Title order={1} size="h2" ref={headingRef} tabIndex={-1} className="page-title">
              {title}
            </Title>
            {beside}
          </Group>
          {description && (
            <Text c="dimmed" mt={4}>
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
