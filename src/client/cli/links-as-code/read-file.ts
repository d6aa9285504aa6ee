/** The file of links on disk. */
import "./url-parse.ts";

import { readFile } from "node:fs/promises";

import { type ParsedFile, parseLinksFile } from "../../plan/parse.ts";
import { Failure, usageFailure } from "../failure.ts";
import type { Io } from "../io.ts";

export interface FileOnDisk extends ParsedFile {
  name: string;
  text: string;
}

/** @throws Failure when it is not there, or wrong; what is wrong stands on stderr then */
export async function readLinksFile(io: Io, name: string): Promise<FileOnDisk> {
  const text = await textOf(name);
  if (text === null) throw usageFailure(`There is no file ${name}`, `hoplink pull ${name} writes it.`);
  const read = parseLinksFile(text);
  if (!("problems" in read)) return { name, text, ...read };
  for (const { line, column, message } of read.problems) {
    io.note(`${[name, line, column].filter((part) => part !== undefined).join(":")} ${message}`);
  }
  throw new Failure(`${name} has ${read.problems.length === 1 ? "a problem" : `${read.problems.length} problems`}`);
}

/** @returns null when there is no such file */
export async function textOf(name: string): Promise<string | null> {
  return readFile(name, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw usageFailure(`${name}: ${error.message}`);
  });
}
