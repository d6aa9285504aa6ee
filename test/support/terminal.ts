/** A command in a separate terminal, with a person who reads its output and types. */
import { type IPty, spawn } from "@lydell/node-pty";

import { eventually } from "./eventually.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
/** The number that shells add to that of the signal that ended a command. */
const SIGNALLED = 128;
/** Each step may start wrangler and workerd, on a busy machine. */
const SHOWS_MS = 240_000;

export class Terminal {
  output = "";
  readonly #pty: IPty;
  readonly #exit: Promise<number>;
  #hasEnded = false;
  /** The position up to which the person has read. */
  #read = 0;

  /** @param TERM  a terminal with few features, unless a test needs more */
  constructor(command: string, args: string[], folder: string, environment: Record<string, string>, TERM = "dumb") {
    this.#pty = spawn(command, args, { cwd: folder, env: { ...environment, TERM }, cols: 500, rows: 50 });
    this.#pty.onData((text) => (this.output += text));
    this.#exit = new Promise((done) =>
      this.#pty.onExit(({ exitCode, signal }) => done(signal ? SIGNALLED + signal : exitCode)),
    );
    void this.#exit.then(() => (this.#hasEnded = true));
  }

  /** Waits until a text appears after the last read position, and reads up to its end. */
  async shows(text: string): Promise<void> {
    const isShown = () => this.output.includes(text, this.#read);
    const missing = () => new Error(`the terminal does not show “${text}”:\n${this.output}`);
    await eventually(() => isShown() || this.#hasEnded, text, SHOWS_MS).catch(() => Promise.reject(missing()));
    if (!isShown()) throw missing();
    this.#read = this.output.indexOf(text, this.#read) + text.length;
  }

  /** With the Enter key. */
  answer(text: string): void {
    this.#pty.write(`${text}\r`);
  }

  /** Without the Enter key. */
  type(text: string): void {
    this.#pty.write(text);
  }

  pressCtrlC(): void {
    this.#pty.write(CTRL_C);
  }

  pressCtrlD(): void {
    this.#pty.write(CTRL_D);
  }

  /** @returns the exit code */
  end(): Promise<number> {
    return this.#exit;
  }

  kill(): void {
    this.#pty.kill();
  }
}
