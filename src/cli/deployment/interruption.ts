/** What Ctrl-C, or closing the terminal, does to a command for a deployment: it ends it, unless a piece of work must be taken back first. */
import { EXIT, SetupError } from "./setup-error.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const MESSAGE = "Interrupted: run the same command again.";

let onInterruption: (signal: NodeJS.Signals) => void = endProcess;

/** Ends wrangler, too, and removes the file of the secret: both are bound to the end of this process. */
export function endWhenInterrupted(): void {
  for (const signal of SIGNALS) process.on(signal, () => onInterruption(signal));
}

export function interrupted(): SetupError {
  return new SetupError(MESSAGE, EXIT.interrupted);
}

function endProcess(signal: NodeJS.Signals): void {
  console.error(`\n${MESSAGE}`);
  endBySignal(signal);
}

/** Ends the process at once, without the deadlocks of `process.exit` (`command.ts`). */
export function endBySignal(signal: NodeJS.Signals): void {
  // Node does not emit it for a signal.
  process.emit("exit", EXIT.interrupted);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * While it lasts, Ctrl-C does not end the process.
 * @param work  gets a signal and a promise, which Ctrl-C aborts and rejects
 * @param takeBack  what is done when the work fails
 */
export async function orTakeBack<T>(
  work: (signal: AbortSignal, interruption: Promise<never>) => Promise<T>,
  takeBack: (error: unknown) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const interruption = new Promise<never>((_, fail) => {
    controller.signal.addEventListener("abort", () => fail(controller.signal.reason as Error), { once: true });
  });
  interruption.catch(() => {});
  onInterruption = () => controller.abort(new SetupError("Interrupted."));
  try {
    return await work(controller.signal, interruption).catch(takeBack);
  } finally {
    onInterruption = endProcess;
  }
}
