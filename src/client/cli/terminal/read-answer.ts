import { createInterface, type ReadLineOptions } from "node:readline/promises";

/**
 * Reads a line that a person types.
 * @throws what `interrupted` makes, on Ctrl-C and Ctrl-D: the terminal passes them on as keys while it reads an answer, and
 *   both close the interface
 */
export async function readAnswer(
  question: string,
  options: ReadLineOptions,
  interrupted: () => Error,
): Promise<string> {
  const terminal = createInterface(options);
  const closed = new Promise<never>((_, fail) => terminal.once("close", () => fail(interrupted())));
  closed.catch(() => {});
  try {
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}
