/**
 * The file with the profiles: an address and a key each. Nobody but the person reads it (mode 0600), and it is replaced
 * as a whole, so that a crash never leaves half of it.
 */
import { mkdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { Failure } from "../failure.ts";
import { replaceFile } from "../replace-file.ts";

export interface Profile {
  url: string;
  key: string;
}

export type Profiles = ReadonlyMap<string, Profile>;

type Environment = Readonly<Record<string, string | undefined>>;

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

export async function writeProfiles(path: string, profiles: Profiles): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify({ profiles: Object.fromEntries(profiles) }, null, 2)}\n`);
}

/** Whether others than its owner may read the file, which Windows does not tell. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  if (process.platform === "win32") return false;
  const { mode } = await stat(path).catch(() => ({ mode: 0 }));
  return (mode & 0o077) !== 0;
}

function parsed(text: string, path: string): { profiles?: object } {
  try {
    return (JSON.parse(text) as { profiles?: object } | null) ?? {};
  } catch {
    throw new Failure(`${path} is not JSON`, "failed", "Repair it, or remove it and sign in again: hoplink login");
  }
}

function isProfile(value: unknown): boolean {
  const { url, key } = (value ?? {}) as Partial<Profile>;
  return typeof url === "string" && typeof key === "string";
}
