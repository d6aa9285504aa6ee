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

/** While it lasts, Ctrl-C ends its signal and not the process, so that the command takes back what it has begun. */
export class Interruption {
  /** Rejects when interrupted. */
  readonly promise: Promise<never>;
  readonly #controller = new AbortController();

  constructor() {
    this.promise = new Promise((_, fail) => {
      this.signal.addEventListener("abort", () => fail(this.signal.reason as Error), { once: true });
    });
    this.promise.catch(() => {});
    onInterruption = () => this.#controller.abort(new SetupError("Interrupted."));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    onInterruption = endProcess;
  }
}
