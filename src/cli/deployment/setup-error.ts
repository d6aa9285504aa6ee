/** Errors that stop a command. Their messages state the problem and the fix. */

export const EXIT = { failed: 1, usage: 2, questionOpen: 3, interrupted: 130 } as const;

export class SetupError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The text for a thrown value. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
