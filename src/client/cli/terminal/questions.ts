/** Questions to the person at the terminal, on stderr, so that stdout holds results alone. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

import { interrupted } from "../failure.ts";
import type { Io } from "../io.ts";

export async function ask(io: Io, question: string): Promise<string> {
  return (await readAnswer(io, question, io.stderr)).trim();
}

export async function confirm(io: Io, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(io, `${question} (y/N) `));
}

/** What is typed or pasted is not shown. */
export async function askSecret(io: Io, question: string): Promise<string> {
  io.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return (await readAnswer(io, "", nowhere)).trim();
  } finally {
    io.stderr.write("\n");
  }
}

/** The terminal passes Ctrl-C and Ctrl-D on as keys while it reads an answer; both close the interface. */
async function readAnswer(io: Io, question: string, output: NodeJS.WritableStream): Promise<string> {
  const terminal = createInterface({ input: io.stdin, output, terminal: true });
  const closed = new Promise<never>((_, fail) => terminal.once("close", () => fail(interrupted())));
  closed.catch(() => {});
  try {
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}
