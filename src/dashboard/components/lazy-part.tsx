/**
 * Components whose code is loaded when they are first shown: `React.lazy`, which remembers a failure permanently, in an
 * error boundary that loads again. The surrounding page stays as it is, with everything that was typed.
 */
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";

import { earlyParts } from "../early-loads.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { loadPart } from "./load-part.ts";

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

/**
 * @param fallback  shown while the code is loading
 * @param earlyName  the name under which the entry script may have loaded it
 */
export function lazyPart<P extends object>(
  load: Load<P>,
  fallback: ReactNode = null,
  earlyName?: string,
): ComponentType<P> {
  return reloadable(load, fallback, (error) => error, earlyName);
}

/** A dialog whose code loads on first use. Errors are shown in a dialog, too. */
export function lazyDialog<P extends { onClose: () => void }>(load: Load<P>): ComponentType<P> {
  return reloadable(load, null, (error, { onClose }) => <ErrorDialog onClose={onClose}>{error}</ErrorDialog>);
}

function reloadable<P extends object>(
  load: Load<P>,
  fallback: ReactNode,
  frameError: (error: ReactNode, props: P) => ReactNode,
  earlyName = "",
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
