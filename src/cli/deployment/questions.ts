/** Questions to the person at the terminal. Without a terminal there are none. */
import { createInterface } from "node:readline/promises";

import { interrupted } from "./interruption.ts";

export interface Questions {
  /** @returns the answer, `preset` for an empty one, null when nobody can be asked */
  ask(question: string, preset?: string): Promise<string | null>;
  /** @returns null when nobody can be asked */
  confirm(question: string): Promise<boolean | null>;
}

export const NOBODY_TO_ASK: Questions = { ask: async () => null, confirm: async () => null };

export const TERMINAL: Questions = {
  async ask(question, preset) {
    const answer = await readAnswer(`\n${question}${preset === undefined ? "" : ` [${preset}]`} `);
    return answer.trim() || (preset ?? "");
  },
  async confirm(question) {
    return /^y(es)?$/i.test((await TERMINAL.ask(`${question} (y/N)`)) ?? "");
  },
};

/** @throws SetupError on Ctrl-C and Ctrl-D, which the terminal passes on as keys while it reads an answer */
async function readAnswer(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<never>((_, fail) => terminal.once("close", () => fail(interrupted())));
  closed.catch(() => {});
  try {
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}

/** Whether somebody sits at a terminal. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CI;
}
