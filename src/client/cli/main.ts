#!/usr/bin/env node
/** The command `hoplink`. Its commands are in `commands/`. */
import { errorLines } from "./error-text.ts";
import { EXIT_CODES, exitCodeOf } from "./exit-codes.ts";
import { interrupted } from "./failure.ts";
import { Io } from "./io.ts";
import { hoplinkProgram } from "./program.ts";

/** A connection that is being made keeps the process alive: after this time, the signal ends it. */
const INTERRUPTED_MS = 500;

const interrupt = new AbortController();
const io = new Io(process, interrupt.signal);

// `Io.write` throws those of stdout. Notes on stderr may get lost.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

// Once, so that the second Ctrl-C ends the process at once. `process.exit` deadlocks if a compiler thread of V8 waits for
// the main thread to collect garbage.
process.once("SIGINT", () => {
  interrupt.abort(interrupted());
  if (io.finishesWork) io.note("Finishing the request in flight. Ctrl-C again ends at once.");
  else setTimeout(() => process.kill(process.pid, "SIGINT"), INTERRUPTED_MS).unref();
});

try {
  await hoplinkProgram(io)
    .parseAsync()
    .finally(() => io.written);
} catch (error) {
  process.exitCode = exitCodeOf(error);
  if (process.exitCode !== EXIT_CODES.ok.code && !isCut()) for (const line of errorLines(error)) io.note(line);
}
if (isCut()) {
  io.progress.clear();
  process.exitCode = EXIT_CODES.interrupted.code;
}

function isCut(): boolean {
  return io.signal.aborted && !io.finishesWork;
}
