/**
 * Catches errors of rendering and of loading code below it, so that one part that fails leaves the rest of the page in
 * place. "Try again" renders it anew.
 */
import { Component, type ReactNode } from "react";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";

import { useRelease } from "../api/release.ts";
import { IconAlertTriangle } from "../icons.tsx";
import { partErrorTexts } from "../texts/shell.ts";
import { PartLoadError } from "./load-part.ts";

interface ErrorBoundaryProps {
  /** Called before the children are rendered again. */
  onRetry?: () => void;
  /** Puts the message that is shown instead of the children into a frame, such as a dialog. */
  frameError?: (message: ReactNode) => ReactNode;
  children: ReactNode;
}

interface ErrorBoundaryState {
  caught: { error: unknown } | null;
  failures: number;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { caught: null, failures: 0 };

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { caught: { error } };
  }

  override componentDidCatch(): void {
    this.setState(({ failures }) => ({ failures: failures + 1 }));
  }

  override render(): ReactNode {
    const { caught, failures } = this.state;
    const { children, frameError } = this.props;
    if (!caught) return children;
    const message = <PartError error={caught.error} hasFailedAgain={failures > 1} retry={() => this.#retry()} />;
    return frameError ? frameError(message) : message;
  }

  #retry(): void {
    this.props.onRetry?.();
    this.setState({ caught: null });
  }
}

interface PartErrorProps {
  error: unknown;
  /** A retry did not help. */
  hasFailedAgain: boolean;
  retry: () => void;
}

/** Shown in place of a part of the page that failed: why, and how to go on. */
function PartError({ error, hasFailedAgain, retry }: PartErrorProps) {
  const isLoadError = error instanceof PartLoadError;
  const { isOutdated, isReachable } = useRelease();
  useWindowEvent("online", () => isLoadError && retry());
  const reason = isOutdated ? partErrorTexts.outdated : isLoadError ? partErrorTexts.offline : partErrorTexts.crashed;
  // Without the server, a reload would replace the page by the browser's error page.
  const offersReload = isReachable && (isOutdated || hasFailedAgain || !isLoadError);
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={isLoadError ? partErrorTexts.notLoaded : partErrorTexts.failed}
      role="alert"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{reason}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={retry}>
            {partErrorTexts.tryAgain}
          </Button>
          {offersReload && (
            <Button size="xs" variant="default" onClick={() => location.reload()}>
              {partErrorTexts.reload}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
