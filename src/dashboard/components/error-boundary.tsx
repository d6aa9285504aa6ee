/**
 * Catches errors of rendering and of loading code below it, so that one part that fails leaves the rest of the page in
 * place. "Try again" renders it anew.
 */
import { Component, type ReactNode } from "react";

import { PartError } from "./part-error.tsx";

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
