/** Questions to the user at the terminal, on stderr, so that stdout contains only results. */
import { createInterface, type ReadLineOptions } from "node:readline/promises";
import { Writable } from "node:stream";

import { interrupted } from "../errors.ts";
import type { Io } from "../io.ts";

export async function ask(io: Io, question: string): Promise<string> {
  return (await answer(io, question, io.stderr)).trim();
}

export async function confirm(io: Io, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(io, `${question} (y/N) `));
}

/** Does not echo the input. */
export async function askSecret(io: Io, question: string): Promise<string> {
  io.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return (await answer(io, "", nowhere)).trim();
  } finally {
    io.stderr.write("\n");
  }
}

function answer(io: Io, question: string, output: NodeJS.WritableStream): Promise<string> {
  return readAnswer(question, { input: io.stdin, output, terminal: true, signal: io.signal }, interrupted);
}

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
