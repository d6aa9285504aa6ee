/**
 * Commands that call the service: their connection to it, from a profile or from the environment, and the link that
 * they name.
 */
import { mkdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import type { Command } from "@commander-js/extra-typings";

import { jsonIn } from "../../core/encoding/bytes.ts";
import { parseShortUrl } from "../../core/links/link-search.ts";
import { type ApiPromise, Hoplink, type Link } from "../index.ts";
import { webUrl } from "../transport.ts";
import { Failure, plainMessage, usageFailure } from "./errors.ts";
import { replaceFile } from "./files.ts";
import type { Environment, Io } from "./io.ts";

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

/** The service and key of a command, from the profiles of `hoplink login` or from the environment. */

export interface Connection extends Profile {
  /** Null if the key comes from the environment. */
  profile: string | null;
}

const DEFAULT_PROFILE = "default";

/** @param option  from the command line; takes precedence over the environment */
export function profileName(option: string | undefined, env: Environment): string {
  const name = option ?? (env.HOPLINK_PROFILE || DEFAULT_PROFILE);
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  throw usageFailure("Invalid profile name", "Use up to 64 letters, digits, hyphens, underscores and periods.");
}

/** @internal */
export function chosenConnection(option: string | undefined, env: Environment, profiles: Profiles): Connection {
  const name = profileName(option, env);
  const profile = profiles.get(name);
  const { HOPLINK_API_KEY: key, HOPLINK_URL: url } = env;
  if (key && option === undefined) return { ...withKey(key, url, profile), profile: null };
  if (!profile) {
    const login = name === DEFAULT_PROFILE ? "hoplink login" : `hoplink login --profile ${name}`;
    throw new Failure(`You are not signed in (profile ${name})`, "not_allowed", `To sign in, run: ${login}`);
  }
  // Otherwise, a file that sets environment variables for a folder could send a stored key to any server.
  if (url && serviceUrl(url) !== profile.url) {
    throw usageFailure(
      `HOPLINK_URL differs from the address of the profile ${name}, whose key is sent only to ${profile.url}`,
      "Unset HOPLINK_URL, or set HOPLINK_API_KEY as well.",
    );
  }
  return { ...profile, profile: name };
}

function withKey(key: string, url: string | undefined, profile: Profile | undefined): Profile {
  if (url) return { key, url: serviceUrl(url) };
  if (profile) return { key, url: profile.url };
  throw new Failure(
    "HOPLINK_API_KEY is set, but HOPLINK_URL is not",
    "not_allowed",
    "Set HOPLINK_URL to the address of the service.",
  );
}

/** Accepts an address with or without scheme and path, such as `hop.example.com`. @throws Failure if it is invalid */
export function serviceUrl(text: string): string {
  const url = webUrl(withScheme(text));
  if (!url) throw usageFailure(`Invalid address “${text}”`, "Use an address such as https://hop.example.com.");
  return url.origin;
}

/** Adds http:// for this machine, whose development server has no certificate, and https:// for all others. */
function withScheme(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  const url = `http://${text}`;
  return URL.canParse(url) && isOwnMachine(new URL(url)) ? url : `https://${text}`;
}

/** Whether a key would cross a network unencrypted. @internal */
export function isUnencrypted(url: string): boolean {
  return url.startsWith("http:") && !isOwnMachine(new URL(url));
}

function isOwnMachine({ hostname }: URL): boolean {
  return /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

export interface Profile {
  url: string;
  key: string;
}

type Profiles = ReadonlyMap<string, Profile>;

export function configFile(env: Environment): string {
  return join(env.XDG_CONFIG_HOME || env.APPDATA || join(homedir(), ".config"), "hoplink", "config.json");
}

export async function readProfiles(path: string): Promise<Profiles> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const stored = jsonIn(text) as { profiles?: object } | null | undefined;
  if (stored === undefined)
    throw new Failure(`${path} is not valid JSON`, "failed", "Repair it, or delete it and run: hoplink login");
  const entries = Object.entries(stored?.profiles ?? {});
  return new Map(entries.filter((entry): entry is [string, Profile] => isProfile(entry[1])));
}

/** Only the owner can read the file (mode 0600). It is replaced as a whole, so that a crash never truncates it. */
export async function writeProfiles(path: string, profiles: Profiles): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify({ profiles: Object.fromEntries(profiles) }, null, 2)}\n`);
}

/** Whether users other than the owner may read the file. Windows does not report this. */
async function isOpenToOthers(path: string): Promise<boolean> {
  if (process.platform === "win32") return false;
  const { mode } = await stat(path).catch(() => ({ mode: 0 }));
  return (mode & 0o077) !== 0;
}

function isProfile(value: unknown): boolean {
  const { url, key } = (value ?? {}) as Partial<Profile>;
  return typeof url === "string" && typeof key === "string";
}
