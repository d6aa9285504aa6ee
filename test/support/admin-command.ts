/** The operator's command, in this process. */
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";

import { type Database, type Io, Target } from "../../src/cli/admin/target.ts";
import { adminProgram, main } from "../../src/cli/admin.ts";
import { textOf } from "../../src/cli/command.ts";

/** Runs it on the data of a development server. */
export function runAdmin(folder: string, ...args: string[]): Promise<string> {
  return runAdminWith({}, [...args, "--persist-to", folder]);
}

/**
 * @param environment  variables in addition to those of this process
 * @returns its output @throws Error when it did not end with 0
 */
export async function runAdminWith(environment: Record<string, string>, args: readonly string[]): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await main(args, { stdout, stderr, env: { ...process.env, ...environment } });
  stdout.end();
  stderr.end();
  const [said, noted] = await printed;
  if (code !== 0) throw new Error(`admin ${args.join(" ")} ended with ${code}: ${noted}`);
  return said;
}

/** Databases that stay open. */
class OpenTarget extends Target {
  readonly #databases: Database;

  constructor(databases: Database, io: Io) {
    super(io);
    this.#databases = databases;
  }

  override withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return work(this.#databases);
  }
}

/**
 * Runs it on open databases, for which it would start a runtime. Not for backups, exports and diagnostics, which open
 * them themselves.
 * @returns its output @throws Error with its message when it fails
 */
export async function runAdminOn(databases: Database, args: readonly string[]): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const target = new OpenTarget(databases, { stdout, stderr, env: process.env });
  const failure = await adminProgram(target)
    .parseAsync(args, { from: "user" })
    .then(() => null, textOf);
  stdout.end();
  stderr.end();
  const [said, noted] = await printed;
  if (failure !== null) throw new Error(`admin ${args.join(" ")} failed: ${noted}${failure}`);
  return said;
}
