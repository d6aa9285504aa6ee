/**
 * Catches errors in rendering and in loading code below it, so that a failed part leaves the rest of the page in place.
 * "Try again" renders it again.
 */
import { Component, type ReactNode } from "react";
import { useWindowEvent } from "@mantine/hooks";

import { useRelease } from "../api/client.ts";
import { SmallButton } from "./buttons.tsx";
import { icon } from "../icons.tsx";
import { buttonTexts, partErrorTexts } from "../texts/shell.ts";
import { PartLoadError } from "./load-part.ts";
import { Notice } from "./states.tsx";

interface ErrorBoundaryProps {
  /** Called before the children are rendered again. */
  onRetry?: () => void;
  /** Wraps the message that replaces the children in a frame, such as a dialog. */
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
  /** Whether a retry has failed too. */
  hasFailedAgain: boolean;
  retry: () => void;
}

/** Replaces a part of the page that failed: the reason and what to do. */
function PartError({ error, hasFailedAgain, retry }: PartErrorProps) {
  const isLoadError = error instanceof PartLoadError;
  const { isOutdated, isReachable } = useRelease();
  useWindowEvent("online", () => isLoadError && retry());
  const reason = isOutdated ? partErrorTexts.outdated : isLoadError ? partErrorTexts.offline : partErrorTexts.crashed;
  // Without the server, a reload would replace the page with the browser's error page.
  const offersReload = isReachable && (isOutdated || hasFailedAgain || !isLoadError);
  return (
    <Notice
      color="red"
      icon={icon("alert-triangle")}
      title={isLoadError ? partErrorTexts.notLoaded : partErrorTexts.failed}
      actions={
        <>
          <SmallButton onClick={retry}>{buttonTexts.tryAgain}</SmallButton>
          {offersReload && <SmallButton onClick={() => location.reload()}>{partErrorTexts.reload}</SmallButton>}
        </>
      }
    >
      {reason}
    </Notice>
  );
}
