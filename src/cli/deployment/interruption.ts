/** Handles Ctrl-C and a closed terminal: they end the command, unless work must be undone first. */
import { EXIT, SetupError } from "./setup-error.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const MESSAGE = "Interrupted: run the same command again.";

/** Signals within this time are one press of Ctrl-C. */
const SAME_KEY_MS = 300;

let onInterruption: (signal: NodeJS.Signals) => void = endProcess;

/** Also ends wrangler and removes the file of the secret: both are bound to the end of this process. */
export function endWhenInterrupted(): void {
  for (const signal of SIGNALS) process.on(signal, () => interrupt(signal));
}

/** Handles a signal to this process. @internal */
export function interrupt(signal: NodeJS.Signals): void {
  onInterruption(signal);
}

export function interrupted(): SetupError {
  return new SetupError(MESSAGE, EXIT.interrupted);
}

function endProcess(signal: NodeJS.Signals): void {
  console.error(`\n${MESSAGE}`);
  endBySignal(signal);
}

/** Ends the process immediately, without the deadlocks of `process.exit` (`command.ts`). */
export function endBySignal(signal: NodeJS.Signals): void {
  // Node does not emit this event on a signal.
  process.emit("exit", EXIT.interrupted);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * While `work` runs, Ctrl-C does not end the process.
 * @param work  gets a signal and a promise, which Ctrl-C aborts and rejects
 * @param lastWords  printed when a second Ctrl-C ends the process; without it, a second one does nothing
 */
export async function interruptible<T>(
  work: (signal: AbortSignal, interruption: Promise<never>) => Promise<T>,
  lastWords?: () => string,
): Promise<T> {
  const controller = new AbortController();
  const interruption = new Promise<never>((_, fail) => {
    controller.signal.addEventListener("abort", () => fail(controller.signal.reason as Error), { once: true });
  });
  interruption.catch(() => {});
  let firstAt = 0;
  onInterruption = (signal) => {
    if (!controller.signal.aborted) {
      firstAt = performance.now();
      return controller.abort(new SetupError("Interrupted.", EXIT.interrupted));
    }
    // npm forwards the Ctrl-C that the terminal has already sent. A closing terminal sends SIGHUP several times.
    if (!lastWords || signal === "SIGHUP" || performance.now() - firstAt < SAME_KEY_MS) return;
    console.error(`\n${lastWords()}`);
    endBySignal(signal);
  };
  try {
    return await work(controller.signal, interruption);
  } finally {
    onInterruption = endProcess;
  }
}
