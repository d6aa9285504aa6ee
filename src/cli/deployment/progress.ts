/** A line for each step of a command, with its time. In a terminal a step that runs is shown, too. */
import type { WriteStream } from "node:tty";

const CLEAR_LINE = "\r\u001B[K";

export class Progress {
  readonly #output: NodeJS.WritableStream;
  readonly #isTerminal: boolean;

  constructor(output: NodeJS.WritableStream) {
    this.#output = output;
    this.#isTerminal = (output as WriteStream).isTTY === true;
  }

  /**
   * @param name  of the step
   * @param describe  what came out, for its line; none when it returns an empty text
   * @throws what `work` throws, after a line that names the step
   */
  async step<T>(name: string, work: () => Promise<T>, describe: (result: T) => string = () => ""): Promise<T> {
    const begun = performance.now();
    if (this.#isTerminal) this.#output.write(`  … ${name}`);
    try {
      const result = await work();
      const outcome = describe(result);
      this.#end(`  ✓ ${name}${outcome && `: ${outcome}`}`, begun);
      return result;
    } catch (error) {
      this.#end(`  ✗ ${name}`, begun);
      throw error;
    }
  }

  warn(text: string): void {
    this.#line(`  ! ${text}`);
  }

  note(text: string): void {
    this.#line(text);
  }

  #end(text: string, begun: number): void {
    this.#line(`${text} (${((performance.now() - begun) / 1_000).toFixed(1)} s)`);
  }

  #line(text: string): void {
    this.#output.write(`${this.#isTerminal ? CLEAR_LINE : ""}${text}\n`);
  }
}
