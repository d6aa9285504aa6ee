/** The service and key of a command, from the profiles of `hoplink login` or from the environment. */
import { mkdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { webUrl } from "../transport.ts";
import { Failure, usageFailure } from "./errors.ts";
import { replaceFile } from "./files.ts";
import type { Environment } from "./io.ts";

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

export function chosenConnection(option: string | undefined, env: Environment, profiles: Profiles): Connection {
  const name = profileName(option, env);
  const profile = profiles.get(name);
  const { HOPLINK_API_KEY: key, HOPLINK_URL: url } = env;
  if (key && option === undefined) return { ...withKey(key, url, profile), profile: null };
  if (!profile) throw notSignedIn(name);
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

function notSignedIn(name: string): Failure {
  const login = name === DEFAULT_PROFILE ? "hoplink login" : `hoplink login --profile ${name}`;
  return new Failure(`You are not signed in (profile ${name})`, "not_allowed", `To sign in, run: ${login}`);
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

/** Whether a key would cross a network unencrypted. */
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

export type Profiles = ReadonlyMap<string, Profile>;

export function configFile(env: Environment): string {
  return join(env.XDG_CONFIG_HOME || env.APPDATA || join(homedir(), ".config"), "hoplink", "config.json");
}

export async function readProfiles(path: string): Promise<Profiles> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const entries = Object.entries(parsed(text, path).profiles ?? {});
  return new Map(entries.filter((entry): entry is [string, Profile] => isProfile(entry[1])));
}

/** Only the owner can read the file (mode 0600). It is replaced as a whole, so that a crash never truncates it. */
export async function writeProfiles(path: string, profiles: Profiles): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify({ profiles: Object.fromEntries(profiles) }, null, 2)}\n`);
}

/** Whether users other than the owner may read the file. Windows does not report this. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  if (process.platform === "win32") return false;
  const { mode } = await stat(path).catch(() => ({ mode: 0 }));
  return (mode & 0o077) !== 0;
}

function parsed(text: string, path: string): { profiles?: object } {
  try {
    return (JSON.parse(text) as { profiles?: object } | null) ?? {};
  } catch {
    throw new Failure(`${path} is not valid JSON`, "failed", "Repair it, or delete it and run: hoplink login");
  }
}

function isProfile(value: unknown): boolean {
  const { url, key } = (value ?? {}) as Partial<Profile>;
  return typeof url === "string" && typeof key === "string";
}
