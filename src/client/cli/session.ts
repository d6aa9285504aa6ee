/** Commands that call the service: their connection to it, and the link that they name. */
import type { Command } from "@commander-js/extra-typings";

import { parseShortUrl } from "../../core/links/link-search.ts";
import { type ApiPromise, Hoplink, type Link } from "../index.ts";
import { Failure, plainMessage, usageFailure } from "./errors.ts";
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

/** Includes the revision that the service returns in `ETag`. */
export interface FoundLink {
  link: Link;
  revision: number | null;
}

const LINK_ID = /^lnk_[0-9a-z]{26}$/;

export async function linkIdOf(session: Session, name: string): Promise<string> {
  return LINK_ID.test(name) ? name : (await lookUp(session, name)).id;
}

/** Finds a link by its id, slug or short URL. */
export async function findLink(session: Session, name: string): Promise<FoundLink> {
  const id = await linkIdOf(session, name);
  return withRevision(session.hoplink.links.get(id, { signal: session.io.signal }));
}

export async function withRevision(answer: ApiPromise<Link>): Promise<FoundLink> {
  const { data: link, etag } = await answer.withResponse();
  const [, revision] = /^"(\d+)"$/.exec(etag ?? "") ?? [];
  return { link, revision: revision === undefined ? null : Number(revision) };
}

/** A slug can have dots and slashes, as a short URL has. */
async function lookUp({ hoplink, io }: Session, name: string): Promise<Link> {
  if (name === "") throw usageFailure("The link is missing", "Specify its ID, slug or short URL.");
  const read = (query: { short_url: string } | { slug: string }) =>
    hoplink.links.list({ ...query, archived: "any" }, { signal: io.signal }).all();
  const named = parseShortUrl(name) ? await read({ short_url: name }) : [];
  if (named.length === 0 && !name.includes("://")) named.push(...(await read({ slug: name })));
  // Links from before a domain was lost and regained have ended: they match only if no other link does.
  const current = named.filter(({ domain_transferred }) => !domain_transferred);
  const found = current.length > 0 ? current : named;
  const [link, ...others] = found;
  if (!link) throw new Failure(`Link not found: ${name}`, "not_found", "To list your links, run: hoplink links list");
  if (others.length > 0) {
    const urls = found.map(({ short_url }) => short_url).join(", ");
    throw usageFailure(`Several links have the slug ${name}: ${urls}`, "Specify the link by its short URL or ID.");
  }
  return link;
}
