/** Questions to the person at the terminal. Without a terminal there are none. */
import { readAnswer } from "../../client/cli/terminal/read-answer.ts";
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
    const text = `\n${question}${preset === undefined ? "" : ` [${preset}]`} `;
    const answer = await readAnswer(text, { input: process.stdin, output: process.stderr }, interrupted);
    return answer.trim() || (preset ?? "");
  },
  async confirm(question) {
    return /^y(es)?$/i.test((await TERMINAL.ask(`${question} (y/N)`)) ?? "");
  },
};

/** Whether somebody sits at a terminal. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CI;
}
