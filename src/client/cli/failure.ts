/** An error of the command itself: what is wrong, and what to do. Those of the service are `HoplinkError`. */
import type { Outcome } from "./exit-codes.ts";

export class Failure extends Error {
  readonly outcome: Outcome;
  readonly advice: string | undefined;

  constructor(message: string, outcome: Outcome = "failed", advice?: string) {
    super(message);
    this.outcome = outcome;
    this.advice = advice;
  }
}

export function usageFailure(message: string, advice?: string): Failure {
  return new Failure(message, "usage", advice);
}

/** For `catch`: the system names the file not always, or one beside it. */
export function cannotWrite(path: string): (error: Error) => never {
  return ({ message }) => {
    throw new Failure(`${path} cannot be written: ${message}`);
  };
}

/** On stdout. A reader that has seen enough, such as `head`, closes the pipe. */
export function cannotPrint({ code, message }: NodeJS.ErrnoException): Failure {
  return new Failure(`The output cannot be written: ${message}`, code === "EPIPE" ? "ok" : "failed");
}

export function interrupted(): Failure {
  return new Failure("Interrupted", "interrupted");
}
