#!/usr/bin/env node
/** The program `hoplink`: `main` with the streams and signals of the process. */
import { interrupted } from "./errors.ts";
import { Io } from "./io.ts";
import { main } from "./main.ts";

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

process.exitCode = await main(process.argv.slice(2), io);
