/** The command `hoplink`. Its commands are in `commands/`. */
import { errorLines } from "./error-text.ts";
import { EXIT_CODES, exitCodeOf } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { hoplinkProgram } from "./program.ts";

/** @param argv  without the names of Node and the script @returns the exit code */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const code = await run(argv, io);
  if (!io.isCut) return code;
  io.progress.clear();
  return EXIT_CODES.interrupted.code;
}

async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    await hoplinkProgram(io)
      .parseAsync(argv, { from: "user" })
      .finally(() => io.written);
    return io.exitCode;
  } catch (error) {
    const code = exitCodeOf(error);
    if (code !== EXIT_CODES.ok.code && !io.isCut) for (const line of errorLines(error)) io.note(line);
    return code;
  }
}
