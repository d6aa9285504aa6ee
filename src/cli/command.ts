/**
 * Shared by the commands of this checkout. A command parses its arguments before it loads anything heavy, and exits on
 * its own. `process.exit` and uncaught errors wait for V8's compiler threads, and deadlock if one of those waits for
 * the main thread to collect garbage.
 */
import { Console } from "node:console";
import { inspect, parseArgs, type ParseArgsConfig } from "node:util";

import { endBySignal } from "./deployment/interruption.ts";
import { EXIT, SetupError } from "./deployment/setup-error.ts";

const LEFT_OPEN_MS = 5_000;

export type Arguments<Config extends ParseArgsConfig> = ReturnType<typeof parseArgs<Config>>;

/** Satisfied by `process`. */
export interface Output {
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
}

/** A command: gets its arguments without the paths of Node and the script, and returns its exit code. */
export type Main = (argv: readonly string[], output: Output) => Promise<number>;

/** @param run  may return an exit code other than 0 */
export function commandMain<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
  run: (given: Arguments<Config>, output: Output) => Promise<number | void>,
): Main {
  return async (argv, output) => {
    const console = new Console(output.stdout, output.stderr);
    try {
      if (!argv.includes("--help")) return (await run(given(usage, argv, config), output)) ?? 0;
      console.log(usage);
      return 0;
    } catch (error) {
      console.error(harmlessLines(error instanceof SetupError ? error.message : inspect(error)));
      return error instanceof SetupError ? error.exitCode : EXIT.failed;
    }
  };
}

/** For multi-line messages, which may quote a server's response. */
export function harmlessLines(text: string): string {
  return text.split("\n").map(escapeControls).join("\n");
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
export async function runCommand<const Config extends ParseArgsConfig>(
  ...command: Parameters<typeof commandMain<Config>>
): Promise<void> {
  await runAsProcess(commandMain(...command));
}

function given<Config extends ParseArgsConfig>(usage: string, argv: readonly string[], config: Config) {
  try {
    return parseArgs<Config>({ ...config, args: [...argv] });
  } catch (error) {
    throw new SetupError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, EXIT.usage);
  }
}

/** A list is in `data`. */
export type Report = Record<string, string | boolean | null | Record<string, unknown>[]>;

/** One line per name and value; one line per item of a list, with its cells separated by tabs. */
export function formatReport(report: Report): string {
  return Object.entries(report)
    .map(([name, value]) => (Array.isArray(value) ? formatTable(value) : `${name.padEnd(12)}${escapeControls(value)}`))
    .join("\n");
}

function formatTable(rows: Record<string, unknown>[]): string {
  const [first = {}] = rows;
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row))];
  return lines.map((cells) => cells.map(escapeControls).join("\t")).join("\n");
}

/**
 * Escapes control and format characters: text from users could contain terminal commands, or a line break that forges
 * another line.
 */
export function escapeControls(value: unknown): string {
  return String(value ?? "").replace(/\p{C}/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
