/** Input and output of a command: results go to stdout, everything else to stderr. */
import { createInterface, type ReadLineOptions } from "node:readline/promises";
import { addAbortSignal, type Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";

import picocolors from "picocolors";

import { figure } from "../../core/limits.ts";
import { cannotPrint, EXIT_CODES, interrupted } from "./errors.ts";
import { type Column, HIDDEN, tableLines, visibleText } from "./terminal-text.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Satisfied by `process`. */
interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
  env: Environment;
}

export class Io {
  readonly stdin: Streams["stdin"];
  readonly stdout: Streams["stdout"];
  readonly stderr: Streams["stderr"];
  readonly env: Streams["env"];
  /** For stdout. */
  readonly colors: Colors;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly #showsProgress: boolean;
  /** Settles when everything on stdout is written. @throws as `write` */
  written: Promise<void> = Promise.resolve();
  /** Exit code of a command that ends without an error. */
  exitCode = 0;
  /** Whether Ctrl-C lets the command finish the request in flight and report its results. */
  finishesWork = false;

  constructor({ stdin, stdout, stderr, env }: Streams, signal: AbortSignal) {
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.env = env;
    this.signal = signal;
    this.colors = picocolors.createColors(hasColors(env, stdout.isTTY === true));
    this.#showsProgress = stderr.isTTY === true && env.TERM !== "dumb";
  }

  /** Prints lines on stdout. They may contain colors, so pass untrusted text through `visibleText` first. */
  async print(...lines: string[]): Promise<void> {
    await this.write(`${lines.join("\n")}\n`);
  }

  /** Prints one line. Characters that control terminals are escaped; JSON itself escapes only those below U+0020. */
  async printJson(value: unknown): Promise<void> {
    await this.write(`${JSON.stringify(value).replace(HIDDEN, escapeUnits)}\n`);
  }

  /** Waits for a slow reader. @throws Failure if the output cannot be written */
  write(chunk: string | Uint8Array): Promise<void> {
    this.written = new Promise((done, fail) =>
      this.stdout.write(chunk, (error) => (error ? fail(cannotPrint(error)) : done())),
    );
    return this.written;
  }

  /** Prints a line on stderr, for people. */
  note(line: string): void {
    this.clearProgress();
    this.stderr.write(`${visibleText(line)}\n`);
  }

  /** Progress on stderr, in one line that is overwritten. Without a terminal, nothing. @param total  null if unknown */
  showProgress(done: number, total: number | null, what: string): void {
    if (this.#showsProgress) this.stderr.write(CLEAR_LINE + progressText(done, total, what));
  }

  /** Call this before printing anything else. */
  clearProgress(): void {
    if (this.#showsProgress) this.stderr.write(CLEAR_LINE);
  }

  noteWait(why: string, waitMs: number): void {
    this.note(`${why.replace(/\.$/, "")}. Retrying in ${Math.ceil(waitMs / 1_000)} s.`);
  }

  /** Whether the command can ask questions. */
  get isInteractive(): boolean {
    return this.stdin.isTTY === true && this.stderr.isTTY === true;
  }

  /** Columns of the terminal; undefined if stdout is not one. */
  get width(): number | undefined {
    return this.stdout.isTTY ? this.stdout.columns : undefined;
  }

  readStdin(): Promise<string> {
    return text(addAbortSignal(this.signal, this.stdin));
  }

  /** Whether Ctrl-C ended the command before its work was finished. */
  get isCut(): boolean {
    return this.signal.aborted && !this.finishesWork;
  }
}

function escapeUnits(char: string): string {
  return Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join(
    "",
  );
}

export type Colors = ReturnType<typeof picocolors.createColors>;

/**
 * Follows https://no-color.org and https://force-color.org; without either, depends on the terminal.
 * @internal
 */
export function hasColors({ NO_COLOR, FORCE_COLOR, TERM }: Environment, isTerminal: boolean): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTerminal && TERM !== "dumb";
}

const BAR_WIDTH = 24;
const CLEAR_LINE = "\r\u001b[K";

/** @internal */
export function progressText(done: number, total: number | null, what: string): string {
  if (total === null) return `${figure(done)} ${what}`;
  const filled = total === 0 ? BAR_WIDTH : Math.floor((Math.min(done, total) / total) * BAR_WIDTH);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${figure(done)} of ${figure(total)} ${what}`;
}

export async function printTable<Item>(
  io: Io,
  columns: readonly Column<Item>[],
  items: readonly Item[],
): Promise<void> {
  await io.print(...tableLines(columns, items, io.width, io.colors.bold));
}

/** Prints JSON, one item per line, or a table. @param none  a note for people, if there are no items */
export async function printList<Item>(
  io: Io,
  asJson: true | undefined,
  columns: readonly Column<Item>[],
  items: readonly Item[],
  none: string,
): Promise<void> {
  if (asJson) for (const item of items) await io.printJson(item);
  else if (items.length === 0) io.note(none);
  else await printTable(io, columns, items);
}

/** The item's name, then one property per line. Empty properties are left out. */
export function propertyLines(name: string, properties: Readonly<Record<string, string>>, colors: Colors): string[] {
  const shown = Object.entries(properties).filter(([, value]) => value !== "");
  return [colors.bold(visibleText(name)), ...shown.map(([title, value]) => propertyLine(title, value, colors))];
}

export function propertyLine(title: string, value: string, colors: Colors): string {
  return `  ${colors.dim(title.padEnd(12))}${visibleText(value)}`;
}

/** `process.exit` deadlocks if a compiler thread of V8 waits for the main thread to collect garbage. */
export function endBySignal(name: NodeJS.Signals): void {
  // Releases locks, and ends child processes. Node does not emit this event on a signal.
  process.emit("exit", EXIT_CODES.interrupted.code);
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

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
