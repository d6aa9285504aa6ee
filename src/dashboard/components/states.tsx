/** Placeholders for data that is loading, empty or failed, each with what to do next. */
import {
  Alert,
  type AlertProps,
  Button,
  Center,
  Group,
  Paper,
  Skeleton,
  Stack,
  Text,
  ThemeIcon,
  Title,
  VisuallyHidden,
} from "@mantine/core";
import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";

import { useAccount } from "../api/account.ts";
import { ApiError, errorMessage, hasCode } from "../api/api-error.ts";
import { isRepeated } from "../api/client.ts";
import { icon } from "../icons.tsx";
import { buttonTexts, errorTexts, shellTexts } from "../texts/shell.ts";
import { Hint, PlainButton, SmallButton } from "./buttons.tsx";

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** What to do next. */
  children: ReactNode;
  /** What could be here. */
  example?: ReactNode;
  /** Label of the button, which runs `onAction` or opens the page at `to`. */
  action?: string;
  onAction?: () => void;
  to?: string;
}

export function EmptyState({ icon, title, children, example, action, onAction, to }: EmptyStateProps) {
  return (
    <Center py="xl">
      <Stack align="center" gap="sm" maw={460} ta="center" style={{ overflowWrap: "anywhere" }}>
        <ThemeIcon size={56} radius="xl" variant="light" aria-hidden>
          {icon}
        </ThemeIcon>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text c="dimmed" component="div">
          {children}
        </Text>
        {example && (
          <Paper withBorder px="md" py="xs" maw="100%">
            <Text size="sm" component="div">
              <strong>{shellTexts.example}</strong> {example}
            </Text>
          </Paper>
        )}
        {onAction && <Button onClick={onAction}>{action}</Button>}
        {to && (
          <Button component={Link} to={to}>
            {action}
          </Button>
        )}
      </Stack>
    </Center>
  );
}

interface NoticeProps extends AlertProps {
  role?: "alert" | "status";
  /** Buttons below the message. */
  actions?: ReactNode;
}

/** A framed message. Its role is alert by default. */
export function Notice({ children, actions, ...frame }: NoticeProps) {
  return (
    <Alert {...frame}>
      <Stack gap="sm" align="flex-start">
        {children && (
          <Text size="sm" component="div">
            {children}
          </Text>
        )}
        {actions && <Group gap="xs">{actions}</Group>}
      </Stack>
    </Alert>
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
    <Notice
      color="red"
      icon={icon("alert-triangle")}
      title={title}
      actions={retry && <SmallButton onClick={retry}>{buttonTexts.tryAgain}</SmallButton>}
    >
      {errorMessage(error)} {isRepeated(error) && errorTexts.repeated}
      {requestId && (
        <Hint size="xs" mt="sm">
          {errorTexts.request(requestId)}
        </Hint>
      )}
    </Notice>
  );
}

interface LoadedProps<T> {
  query: Pick<UseQueryResult<T>, "data" | "error"> & { refetch: () => unknown };
  skeleton: ReactNode;
  children: (data: T) => ReactNode;
}

/** Shows the data of a query, or why it could not be fetched or refreshed. */
export function Loaded<T>({ query: { data, error, refetch }, skeleton, children }: LoadedProps<T>) {
  return (
    <>
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {data === undefined ? !error && skeleton : children(data)}
    </>
  );
}

interface NextPageProps {
  pages: Pick<UseInfiniteQueryResult, "error" | "refetch" | "hasNextPage" | "fetchNextPage" | "isFetchingNextPage">;
  label: string;
}

/** Below a list of pages: the button for the next one, or why loading it failed. */
export function NextPage({ pages, label }: NextPageProps) {
  const { error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = pages;
  if (error) return <ErrorState error={error} retry={() => void (hasNextPage ? fetchNextPage() : refetch())} />;
  if (!hasNextPage) return null;
  return (
    <PlainButton style={{ alignSelf: "flex-start" }} loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      {label}
    </PlainButton>
  );
}

/** Renders its children once the account is loaded. Without a session, client.ts redirects to sign-in. */
export function RequireAccount({ children }: { children: ReactNode }) {
  const account = useAccount();
  if (account.data) return children;
  if (hasCode(account.error, "account_suspended")) {
    return <ErrorState title={shellTexts.suspended} error={account.error} />;
  }
  const isRedirecting = account.error instanceof ApiError && account.error.status === 401;
  return account.error && !isRedirecting ? (
    <ErrorState error={account.error} retry={() => void account.refetch()} />
  ) : (
    <PageSkeleton />
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
