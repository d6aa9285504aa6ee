#!/usr/bin/env node
/** The command `hoplink`. Its commands are in `commands/`. */
import { errorLines } from "./error-text.ts";
import { EXIT_CODES, exitCodeOf } from "./exit-codes.ts";
import { interrupted } from "./failure.ts";
import { Io } from "./io.ts";
import { hoplinkProgram } from "./program.ts";

const interrupt = new AbortController();
const io = new Io(process, interrupt.signal);

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, as `head`, closes the pipe.
    if (error.code === "EPIPE") process.exit(EXIT_CODES.ok.code);
    // What is for people alone may be missing.
    if (stream === process.stderr) return;
    io.note(`The output cannot be written: ${error.message}`);
    process.exit(EXIT_CODES.failed.code);
  });
}

process.on("SIGINT", () => {
  const isFirst = !interrupt.signal.aborted;
  interrupt.abort(interrupted());
  if (isFirst && io.finishesWork) return io.note("Finishing the request in flight. Ctrl-C again ends at once.");
  io.progress.clear();
  process.exit(EXIT_CODES.interrupted.code);
});

try {
  await hoplinkProgram(io).parseAsync();
} catch (error) {
  const [what = "", ...more] = errorLines(error);
  io.note(what);
  for (const line of more) io.note(line);
  process.exitCode = exitCodeOf(error);
}
