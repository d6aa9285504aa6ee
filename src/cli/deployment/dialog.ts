/** A command's output (a timed line for each step) and its questions. Without a terminal, it asks none. */
import type { WriteStream } from "node:tty";

import { readAnswer } from "../../client/cli/io.ts";
import { interrupted } from "../command.ts";

const CLEAR_LINE = "\r\u001B[K";

export class Dialog {
  readonly #output: NodeJS.WritableStream;
  readonly #isTerminal: boolean;
  readonly #asks: boolean;
  /** Once aborted, no further step begins; the current step still ends. */
  signal: AbortSignal | null = null;
  /** The completed steps, in order. */
  readonly steps: { name: string; outcome: string; seconds: number }[] = [];

  constructor(output: NodeJS.WritableStream, mayAsk = true) {
    this.#output = output;
    this.#isTerminal = (output as WriteStream).isTTY === true;
    this.#asks = mayAsk && process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CI;
  }

  /**
   * @param outcome  the result for the step's line; an empty text adds nothing
   * @throws what `work` throws, after a line that names the step
   */
  async step<T>(name: string, work: () => Promise<T>, outcome: string | ((result: T) => string) = ""): Promise<T> {
    this.signal?.throwIfAborted();
    const begun = performance.now();
    const end = (mark: string, text: string) => {
      const seconds = (performance.now() - begun) / 1_000;
      this.steps.push({ name, outcome: text, seconds });
      this.note(`  ${mark} ${name}${text && `: ${text}`} (${seconds.toFixed(1)} s)`);
    };
    // Shown while it runs.
    if (this.#isTerminal) this.#output.write(`  … ${name}`);
    try {
      const result = await work();
      end("✓", typeof outcome === "string" ? outcome : outcome(result));
      return result;
    } catch (error) {
      end("✗", "");
      throw error;
    }
  }

  /** Runs optional work: not all tokens have permission for it. A failure is a warning. */
  async tolerate<T>(consequence: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.warn(`${consequence}: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  }

  warn(text: string): void {
    this.note(`  ! ${text}`);
  }

  note(text: string): void {
    this.#output.write(`${this.#isTerminal ? CLEAR_LINE : ""}${text}\n`);
  }

  /** @returns the answer, `preset` for an empty one, null if it may not ask or has no terminal */
  async ask(question: string, preset = ""): Promise<string | null> {
    if (!this.#asks) return null;
    const text = `\n${question}${preset === "" ? "" : ` [${preset}]`} `;
    const answer = await readAnswer(text, { input: process.stdin, output: process.stderr }, interrupted);
    return answer.trim() || preset;
  }

  /** @returns false if it may not ask or has no terminal */
  async confirm(question: string): Promise<boolean> {
    return /^y(es)?$/i.test((await this.ask(`${question} (y/N)`)) ?? "");
  }
}
