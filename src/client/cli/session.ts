/** A command's connection to the service. */
import { Hoplink } from "../index.ts";
import type { Io } from "./io.ts";
import { chosenConnection, type Connection } from "./profiles/chosen-connection.ts";
import { configFile, isOpenToOthers, readProfiles } from "./profiles/config-file.ts";

export interface Session {
  io: Io;
  connection: Connection;
  hoplink: Hoplink;
}

export async function openSession(io: Io, options: { profile?: string | undefined }): Promise<Session> {
  const path = configFile(io.env);
  const connection = chosenConnection(options.profile, io.env, await readProfiles(path));
  if (connection.profile !== null && (await isOpenToOthers(path))) {
    io.note(`Others can read your keys in ${path}. Change that: chmod 600 ${path}`);
  }
  return { io, connection, hoplink: hoplinkOf(connection, io) };
}

/** Shorter waits pass unnoticed. */
const NOTED_WAIT_MS = 2_000;

/** Tells of long waits, as for the next minute of a rate limit: a command that says nothing would seem to hang. */
export function hoplinkOf({ url, key }: Pick<Connection, "url" | "key">, io: Io): Hoplink {
  const onRetry = ({ message }: Error, waitMs: number) => {
    if (waitMs >= NOTED_WAIT_MS) io.noteWait(message, waitMs);
  };
  return new Hoplink({ baseUrl: url, apiKey: key, onRetry });
}
