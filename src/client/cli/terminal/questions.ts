/** Questions to the user at the terminal, on stderr, so that stdout contains only results. */
import { Writable } from "node:stream";

import { interrupted } from "../errors.ts";
import type { Io } from "../io.ts";
import { readAnswer } from "./read-answer.ts";

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
