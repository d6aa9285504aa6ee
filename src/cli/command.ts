/**
 * Shared by the commands of this checkout. A command parses its arguments before it loads anything heavy, and exits on
 * its own. `process.exit` and uncaught errors wait for V8's compiler threads, and deadlock if one of those waits for
 * the main thread to collect garbage.
 */
import { Console } from "node:console";
import { inspect } from "node:util";

import { type Command, CommanderError, type OptionValues } from "@commander-js/extra-typings";

import { endBySignal } from "../client/cli/io.ts";
import { visibleText } from "../client/cli/terminal-text.ts";

const LEFT_OPEN_MS = 5_000;

/** Satisfied by `process`. */
export interface Output {
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
}

/** A command: gets its arguments without the paths of Node and the script, and returns its exit code. */
export type Main = (argv: readonly string[], output: Output) => Promise<number>;

/**
 * @param command  parses the arguments
 * @param run  may return an exit code other than 0
 * @param describe  the text for an error
 */
export function commandMain<Args extends unknown[], Options extends OptionValues>(
  command: () => Command<Args, Options>,
  run: (options: Options, output: Output, ...args: Args) => Promise<number | void>,
  describe = describeFault,
): Main {
  return async (argv, output) => {
    // Ignores a closed pipe.
    const console = new Console(output.stdout, output.stderr);
    try {
      const outputs = {
        writeOut: (text: string) => console.log(text.replace(/\n$/, "")),
        writeErr: (text: string) => console.error(text.replace(/\n$/, "")),
      };
      const program = command().showHelpAfterError().exitOverride().configureOutput(outputs);
      const parsed = program.parse(argv, { from: "user" });
      return (await run(parsed.opts(), output, ...parsed.processedArgs)) ?? 0;
    } catch (error) {
      // Commander has already printed it.
      if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
      console.error(describe(error));
      return error instanceof SetupError ? error.exitCode : EXIT.failed;
    }
  };
}

/** With the stack of an error that no one expects. */
function describeFault(error: unknown): string {
  return harmlessLines(error instanceof SetupError ? error.message : inspect(error));
}

/** For multi-line messages, which may quote a server's response. */
export function harmlessLines(text: string): string {
  return text.split("\n").map(visibleText).join("\n");
}

/**
 * Runs a command as this process. Not for one that can fail with a request in flight: its exit code would be the
 * signal's.
 */
export async function runAsProcess(main: Main): Promise<void> {
  process.exitCode = await main(process.argv.slice(2), process);
  // A server that a failed command left running keeps the process alive.
  if (process.exitCode !== 0) setTimeout(() => endBySignal("SIGTERM"), LEFT_OPEN_MS).unref();
}

/** Runs a command that no other code calls. */
export async function runCommand<Args extends unknown[], Options extends OptionValues>(
  command: () => Command<Args, Options>,
  run: (options: Options, output: Output, ...args: Args) => Promise<number | void>,
): Promise<void> {
  await runAsProcess(commandMain(command, run));
}

/** A list is in `data`. */
export type Report = Record<string, string | boolean | null | Record<string, unknown>[]>;

/** One line per name and value; one line per item of a list, with its cells separated by tabs. */
export function formatReport(report: Report): string {
  return Object.entries(report)
    .map(([name, value]) => (Array.isArray(value) ? formatTable(value) : `${name.padEnd(12)}${visibleText(value)}`))
    .join("\n");
}

function formatTable(rows: Record<string, unknown>[]): string {
  const [first = {}] = rows;
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row))];
  return lines.map((cells) => cells.map(visibleText).join("\t")).join("\n");
}

export const EXIT = { failed: 1, usage: 2, questionOpen: 3, interrupted: 130 } as const;

/** Stops a command. The message states the problem and the fix. */
export class SetupError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The text for a thrown value. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Handles Ctrl-C and a closed terminal: they end the command, unless work must be undone first. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const MESSAGE = "Interrupted: run the same command again.";

/** Signals within this time are one press of Ctrl-C. */
const SAME_KEY_MS = 300;

let onInterruption: (signal: NodeJS.Signals) => void = endProcess;

/** Also ends wrangler and removes the file of the secret: both are bound to the end of this process. */
export function endWhenInterrupted(): void {
  for (const signal of SIGNALS) process.on(signal, () => interrupt(signal));
}

/** Handles a signal to this process. @internal */
export function interrupt(signal: NodeJS.Signals): void {
  onInterruption(signal);
}

export function interrupted(): SetupError {
  return new SetupError(MESSAGE, EXIT.interrupted);
}

function endProcess(signal: NodeJS.Signals): void {
  console.error(`\n${MESSAGE}`);
  endBySignal(signal);
}

/**
 * While `work` runs, Ctrl-C does not end the process.
 * @param work  gets a signal and a promise, which Ctrl-C aborts and rejects
 * @param lastWords  printed when a second Ctrl-C ends the process; without it, a second one does nothing
 */
export async function interruptible<T>(
  work: (signal: AbortSignal, interruption: Promise<never>) => Promise<T>,
  lastWords?: () => string,
): Promise<T> {
  const controller = new AbortController();
  const interruption = new Promise<never>((_, fail) => {
    controller.signal.addEventListener("abort", () => fail(controller.signal.reason as Error), { once: true });
  });
  interruption.catch(() => {});
  let firstAt = 0;
  onInterruption = (signal) => {
    if (!controller.signal.aborted) {
      firstAt = performance.now();
      return controller.abort(new SetupError("Interrupted.", EXIT.interrupted));
    }
    // npm forwards the Ctrl-C that the terminal has already sent. A closing terminal sends SIGHUP several times.
    if (!lastWords || signal === "SIGHUP" || performance.now() - firstAt < SAME_KEY_MS) return;
    console.error(`\n${lastWords()}`);
    endBySignal(signal);
  };
  try {
    return await work(controller.signal, interruption);
  } finally {
    onInterruption = endProcess;
  }
}
