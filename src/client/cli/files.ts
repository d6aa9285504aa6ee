/** Files that commands read or replace as a whole. */
import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm, stat } from "node:fs/promises";

import type { RoutingRuleInput } from "../index.ts";
import { cannotWrite, usageFailure } from "./errors.ts";
import type { Io } from "./io.ts";

type Content = string | Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Replaces a file atomically: other processes see either the old or the new file, even after a power failure. An error
 * in the content leaves the old file unchanged.
 * @param mode  by default, only the owner may read it
 */
export function replaceFile(path: string, content: Content, mode = 0o600): Promise<void> {
  return replace(path, content, mode).catch(cannotWrite(path));
}

async function replace(path: string, content: Content, mode: number): Promise<void> {
  // In a shared folder such as /tmp, a guessable name could be another user's file or their symlink to one of yours.
  const next = `${path}.${randomUUID()}.tmp`;
  const file = await open(next, "wx", mode);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** The mode of an existing file, so that replacing it lets no one else read it. @param mode  for a new file */
export async function modeOf(path: string, mode: number): Promise<number> {
  const there = await stat(path).catch(() => null);
  return there === null ? mode : there.mode & 0o777;
}

/** Reads a file that must exist. @throws Failure that names the file */
export async function readText(path: string): Promise<string> {
  return (await readBytes(path)).toString();
}

/** @returns null if the file does not exist @throws Failure that names the file */
export async function readTextIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw usageFailure(`${path}: ${error.message}`);
  });
}

/** Reads a file that must exist. @throws Failure that names the file */
export async function readBytes(path: string): Promise<Buffer<ArrayBuffer>> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw usageFailure(error.code === "ENOENT" ? `File not found: ${path}` : `${path}: ${error.message}`);
  });
}

/** @param path  `-` for stdin */
export function readInput(io: Io, path: string): Promise<string> {
  return path === "-" ? io.readStdin() : readText(path);
}

/**
 * Routing rules as in the API, or those of a whole link, as printed by `links get --json`. The service validates them.
 * @param path  `-` for stdin
 */
export async function readRules(io: Io, path: string): Promise<RoutingRuleInput[]> {
  const value = await readJson(io, path);
  const rules = Array.isArray(value) ? value : (value as { routing?: unknown } | null)?.routing;
  if (Array.isArray(rules)) return rules as RoutingRuleInput[];
  throw usageFailure(
    `${path} does not contain a list of rules`,
    'Use a JSON array: [{"if": {"country": "DE"}, "to": "https://…"}]',
  );
}

/** @param path  `-` for stdin */
export async function readJson(io: Io, path: string): Promise<unknown> {
  const text = await readInput(io, path);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageFailure(`${path} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
