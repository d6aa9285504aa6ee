/** What commands have in common. */
import type { Command } from "@commander-js/extra-typings";

import type { Io } from "./io.ts";
import { openSession, type Session } from "./session.ts";

/** A command that talks to the service. */
export function serviceCommand(parent: Command, name: string, description: string) {
  return parent
    .command(name)
    .description(description)
    .option("--profile <NAME>", "sign in as this profile")
    .option("--json", "print JSON, one value a line");
}

/** Runs an action with the connection that its options choose. @param run  may return an exit code other than 0 */
export async function withSession(
  io: Io,
  options: { profile?: string | undefined },
  run: (session: Session) => Promise<number | void>,
): Promise<void> {
  io.exitCode = (await run(await openSession(io, options))) ?? 0;
}

/** An option that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
