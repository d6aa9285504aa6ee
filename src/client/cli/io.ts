/** What a command reads and writes: results on stdout, everything else on stderr. */
import { addAbortSignal, type Readable, type Writable } from "node:stream";
import { text } from "node:stream/consumers";

import { cannotPrint } from "./failure.ts";
import { type Colors, colorsFor } from "./terminal/colors.ts";
import { ProgressBar } from "./terminal/progress-bar.ts";
import { visibleText } from "./terminal/visible-text.ts";

/** `process` is one. */
interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
  env: Readonly<Record<string, string | undefined>>;
}

export class Io {
  readonly stdin: Streams["stdin"];
  readonly stdout: Streams["stdout"];
  readonly stderr: Streams["stderr"];
  readonly env: Streams["env"];
  /** Of stdout. */
  readonly colors: Colors;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly progress: ProgressBar;
  /** Settles when everything on stdout is written. @throws as `write` */
  written: Promise<void> = Promise.resolve();
  /** Of a command that ends without an error. */
  exitCode = 0;
  #finishesWork = false;

  constructor({ stdin, stdout, stderr, env }: Streams, signal: AbortSignal) {
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.env = env;
    this.signal = signal;
    this.colors = colorsFor(env, stdout.isTTY === true);
    this.progress = new ProgressBar(stderr, stderr.isTTY === true && env.TERM !== "dumb");
  }

  /** Lines on stdout. They may hold colours, so texts of others in them must be made visible before. */
  async print(...lines: string[]): Promise<void> {
    await this.write(`${lines.join("\n")}\n`);
  }

  /** One line. What a terminal would obey is escaped, as JSON allows. */
  async printJson(value: unknown): Promise<void> {
    await this.write(`${jsonLine(value)}\n`);
  }

  /** Waits for a reader that is slow. @throws Failure when it cannot be written */
  write(chunk: string | Uint8Array): Promise<void> {
    this.written = new Promise((done, fail) =>
      this.stdout.write(chunk, (error) => (error ? fail(cannotPrint(error)) : done())),
    );
    return this.written;
  }

  /** A line on stderr, for people. */
  note(line: string): void {
    this.progress.clear();
    this.stderr.write(`${visibleText(line)}\n`);
  }

  noteWait(why: string, waitMs: number): void {
    this.note(`${why}. Trying again in ${Math.ceil(waitMs / 1_000)} s.`);
  }

  /** Whether somebody can be asked. */
  get isInteractive(): boolean {
    return this.stdin.isTTY === true && this.stderr.isTTY === true;
  }

  /** Columns of the terminal, if stdout is one. */
  get width(): number | undefined {
    return this.stdout.isTTY ? this.stdout.columns : undefined;
  }

  readStdin(): Promise<string> {
    return text(addAbortSignal(this.signal, this.stdin));
  }

  /** From here on, Ctrl-C lets the command finish the request in flight and report what is done. */
  finishWorkOnInterrupt(): void {
    this.#finishesWork = true;
  }

  get finishesWork(): boolean {
    return this.#finishesWork;
  }

  /** Whether Ctrl-C has ended the command before its end. */
  get isCut(): boolean {
    return this.signal.aborted && !this.#finishesWork;
  }
}

/** JSON itself escapes the controls below U+0020 only. */
function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeUnits);
}

function escapeUnits(char: string): string {
  return Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join(
    "",
  );
}
