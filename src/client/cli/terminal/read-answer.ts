import { createInterface, type ReadLineOptions } from "node:readline/promises";

/**
 * Reads a line from the terminal.
 * @throws the error from `interrupted`, on Ctrl-C and Ctrl-D: while an answer is read, the terminal passes them on as
 * keys, and both close the interface
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
