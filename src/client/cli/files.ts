/** Files that commands read, and replace as a whole. */
import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm, stat } from "node:fs/promises";

import type { RoutingRuleInput } from "../index.ts";
import { cannotWrite, usageFailure } from "./errors.ts";
import type { Io } from "./io.ts";

type Content = string | AsyncIterable<Uint8Array>;

/**
 * Another process sees the file as it was or as it becomes, also after a power cut. Content that breaks off leaves it as
 * it was.
 * @param mode  by default nobody else may read it
 */
export function replaceFile(path: string, content: Content, mode = 0o600): Promise<void> {
  return replace(path, content, mode).catch(cannotWrite(path));
}

async function replace(path: string, content: Content, mode: number): Promise<void> {
  // In a folder of all, as /tmp, a name that can be guessed could be another's file, or his link to one of yours.
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

/** Who may read a file that is there, so that replacing it lets nobody else. @param mode  when there is none */
export async function modeOf(path: string, mode: number): Promise<number> {
  const there = await stat(path).catch(() => null);
  return there === null ? mode : there.mode & 0o777;
}

/** @throws Failure that says which file */
export async function readText(path: string): Promise<string> {
  const text = await readTextIfThere(path);
  if (text === null) throw usageFailure(`There is no file ${path}`);
  return text;
}

/** @returns null when there is no such file @throws Failure that says which file */
export async function readTextIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw usageFailure(`${path}: ${error.message}`);
  });
}

/** @param path  `-` for stdin */
export function readInput(io: Io, path: string): Promise<string> {
  return path === "-" ? io.readStdin() : readText(path);
}

/** Routing rules as the API takes them. The service checks them. @param path  `-` for stdin */
export async function readRules(io: Io, path: string): Promise<RoutingRuleInput[]> {
  const rules = parsedRules(await readInput(io, path), path);
  if (Array.isArray(rules)) return rules as RoutingRuleInput[];
  throw usageFailure(
    `${path} is no list of rules`,
    'It is a JSON list: [{"if": {"country": "DE"}, "to": "https://…"}]',
  );
}

/** Rules may also be those of a whole link, as `links get --json` prints it. */
function parsedRules(text: string, path: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : (value as { routing?: unknown } | null)?.routing;
  } catch (error) {
    throw usageFailure(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
