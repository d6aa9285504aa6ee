#!/usr/bin/env node
/** The program `hoplink`: `main` with the streams and signals of the process. */
import { interrupted } from "./errors.ts";
import { endBySignal, Io } from "./io.ts";
import { main } from "./main.ts";

/** A connection that is still being opened keeps the process alive. After this time, the signal ends the process. */
const INTERRUPTED_MS = 500;
/** Signals within this time are one press of Ctrl-C: npm forwards the signal that the terminal has already sent. */
const SAME_KEY_MS = 300;

const interrupt = new AbortController();
const io = new Io(process, interrupt.signal);

// `Io.write` throws the errors of stdout. Notes on stderr may get lost.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

let interruptedAt = 0;
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, onSignal);

function onSignal(name: NodeJS.Signals): void {
  if (interrupt.signal.aborted) {
    // A closing terminal sends SIGHUP several times.
    if (name !== "SIGHUP" && performance.now() - interruptedAt >= SAME_KEY_MS) endBySignal(name);
    return;
  }
  interruptedAt = performance.now();
  interrupt.abort(interrupted());
  if (io.finishesWork) io.note("Finishing the request in flight. Press Ctrl-C again to exit immediately.");
  else setTimeout(endBySignal, INTERRUPTED_MS, name).unref();
}

process.exitCode = await main(process.argv.slice(2), io);
