/** Shown in place of data: placeholders while it is loading, an empty list, or an error, each with what to do next. */
import { Alert, Button, Center, Skeleton, Stack, Text, ThemeIcon, Title, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";

import { ApiError, errorMessage } from "../api/api-error.ts";
import { IconAlertTriangle } from "../icons.tsx";
import { errorTexts, shellTexts } from "../texts/shell.ts";

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** What to do next. */
  children: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Center py="xl">
      <Stack align="center" gap="sm" maw={460} ta="center">
        <ThemeIcon size={56} radius="xl" variant="light" aria-hidden>
          {icon}
        </ThemeIcon>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed" component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Center>
  );
}

interface ErrorStateProps {
  error: unknown;
  title?: string;
  retry?: () => void;
}

export function ErrorState({ error, title = errorTexts.loadFailed, retry }: ErrorStateProps) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={title} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{errorMessage(error)}</Text>
        {requestId && (
          <Text size="xs" c="dimmed">
            {errorTexts.request(requestId)}
          </Text>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {errorTexts.tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

export function PageSkeleton() {
  return (
    <Stack gap="lg">
      <Skeleton height={34} width={180} />
      <ListSkeleton rows={5} />
    </Stack>
  );
}

export function ListSkeleton({ rows, height = 56 }: { rows: number; height?: number }) {
  return (
    <Stack gap="xs" role="status">
      <VisuallyHidden>{shellTexts.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} aria-hidden />
      ))}
    </Stack>
  );
}
