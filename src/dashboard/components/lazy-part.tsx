/**
 * Components whose code is loaded when they are first shown: `React.lazy`, which remembers a failure permanently, in an
 * error boundary that loads again. The surrounding page stays as it is, with everything that was typed.
 */
import { useWindowEvent } from "@mantine/hooks";
import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";

import { useRelease } from "../api/client.ts";
import { earlyParts } from "../early-loads.ts";
import { icon } from "../icons.tsx";
import { buttonTexts, errorTexts, partErrorTexts } from "../texts/shell.ts";
import { SmallButton } from "./buttons.tsx";
import { Notice } from "./states.tsx";

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

/** A dialog whose code loads on first use. Errors are shown in a dialog, too. */
export function lazyDialog<P extends { onClose: () => void }>(load: Load<P>): ComponentType<P> {
  return lazyPart(load, null, "", (error, { onClose }) => <ErrorDialog onClose={onClose}>{error}</ErrorDialog>);
}

/**
 * @param fallback  shown while the code is loading
 * @param earlyName  the name under which the entry script may have loaded it
 */
export function lazyPart<P extends object>(
  load: Load<P>,
  fallback: ReactNode = null,
  earlyName = "",
  frameError: (error: ReactNode, props: P) => ReactNode = (error) => error,
): ComponentType<P> {
  let latest = newPart();

  function newPart() {
    return lazy(() =>
      loadPart(load).catch((error: unknown) => {
        latest = newPart();
        throw error;
      }),
    );
  }

  return function LazyPart(props: P) {
    const [Part, setPart] = useState(() => (earlyParts.get(earlyName) as ComponentType<P> | undefined) ?? latest);
    return (
      <ErrorBoundary onRetry={() => setPart(() => latest)} frameError={(error) => frameError(error, props)}>
        <Suspense fallback={fallback}>
          <Part {...props} />
        </Suspense>
      </ErrorBoundary>
    );
  };
}

const ErrorDialog = lazyPart(
  async () => ({ default: (await import("./overlays.tsx")).ErrorDialog }),
  null,
  "error-dialog",
);

/**
 * Loads code that is not part of the first page. A failed load can be retried. Vite does not request a failed style
 * sheet again, so the part would appear unstyled; this code requests it again.
 */

/** The code of a part could not be loaded: the server was unreachable, or no longer has the file. */
export class PartLoadError extends Error {}

const failedStylesheets = new Set<string>();

/** Call this once. Error events of elements do not bubble, so they are captured. */
export function watchStylesheets(): void {
  const onError = ({ target }: Event) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet") return;
    failedStylesheets.add(target.href);
    target.remove();
  };
  window.addEventListener("error", onError, { capture: true });
}

/** @throws PartLoadError */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    await Promise.all([...failedStylesheets].map(loadStylesheet));
    // A part's own styles override them, so they are requested first.
    return (await Promise.all([import("../mantine-later.css"), load()]))[1];
  } catch (cause) {
    throw new PartLoadError(errorTexts.partNotLoaded, { cause });
  }
}

function loadStylesheet(href: string): Promise<void> {
  return new Promise((done, fail) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, crossOrigin: "" });
    link.addEventListener("load", () => {
      failedStylesheets.delete(href);
      done();
    });
    link.addEventListener("error", fail);
    document.head.appendChild(link);
  });
}

/**
 * Catches errors in rendering and in loading code below it, so that a failed part leaves the rest of the page in place.
 * "Try again" renders it again.
 */

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
