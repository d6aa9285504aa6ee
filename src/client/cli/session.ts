/** Commands that call the service, and their connection to it. */
import type { Command } from "@commander-js/extra-typings";

import { Hoplink } from "../index.ts";
import { plainMessage } from "./errors.ts";
import type { Io } from "./io.ts";
import {
  chosenConnection,
  configFile,
  type Connection,
  isOpenToOthers,
  isUnencrypted,
  readProfiles,
} from "./profiles.ts";

export interface Session {
  io: Io;
  connection: Connection;
  hoplink: Hoplink;
}

async function openSession(io: Io, options: { profile?: string | undefined }): Promise<Session> {
  const path = configFile(io.env);
  const connection = chosenConnection(options.profile, io.env, await readProfiles(path));
  noteUnencrypted(connection, io);
  if (connection.profile !== null && (await isOpenToOthers(path))) {
    io.note(`Warning: other users can read your keys in ${path}. To prevent this, run: chmod 600 ${path}`);
  }
  return { io, connection, hoplink: hoplinkOf(connection, io) };
}

/** Over plain HTTP, others can read the key. */
export function noteUnencrypted({ url }: Pick<Connection, "url">, io: Io): void {
  if (isUnencrypted(url)) io.note(`Warning: the key is sent to ${url} without encryption. Use https:// if possible.`);
}

/** Shorter waits are not announced. */
const NOTED_WAIT_MS = 2_000;

/** Announces long waits, e.g. for the next minute of a rate limit, so that the command does not seem to hang. */
export function hoplinkOf({ url, key }: Pick<Connection, "url" | "key">, io: Io): Hoplink {
  const onRetry = (error: Error, waitMs: number) => {
    if (waitMs >= NOTED_WAIT_MS) io.noteWait(plainMessage(error), waitMs);
  };
  return new Hoplink({ baseUrl: url, apiKey: key, onRetry });
}

/** A command that calls the service. */
export function serviceCommand(parent: Command, name: string, description: string) {
  return parent
    .command(name)
    .description(description)
    .option("--profile <NAME>", "Profile to use")
    .option("--json", "Print JSON, one value per line");
}

/** Runs an action with the connection that the options select. @param run  may return an exit code other than 0 */
export async function withSession(
  io: Io,
  options: { profile?: string | undefined },
  run: (session: Session) => Promise<number | void>,
): Promise<void> {
  io.exitCode = (await run(await openSession(io, options))) ?? 0;
}
