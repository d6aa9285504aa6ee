/** The storage for the parts of a backup, as named on the command line: a folder, or `r2:BUCKET/PREFIX`. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { LIST_MAX, type ObjectBucket } from "./buckets.ts";

const BUCKET_SCHEME = "r2:";
const BUCKET_NAME = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
/** Path segments that need no escaping in a URL. */
const PREFIX_PART = /^[\w-][\w.-]*$/;

export type BackupPlace = { kind: "folder"; path: string } | { kind: "bucket"; bucket: string; prefix: string };

export interface PartStore {
  /** Shown in messages. */
  readonly place: string;
  /** All names. */
  list: () => Promise<string[]>;
  /** @returns null if the part does not exist */
  get: (name: string) => Promise<Uint8Array | null>;
  /** The part is stored completely or not at all, wherever the command is interrupted. */
  put: (name: string, content: Uint8Array) => Promise<void>;
}

/** @returns null if it is empty, e.g. an unset variable, or names a bucket in another format */
export function parsePlace(text: string): BackupPlace | null {
  if (text === "" || text.startsWith(BUCKET_SCHEME.toUpperCase())) return null;
  if (!text.startsWith(BUCKET_SCHEME)) return { kind: "folder", path: text };
  const [bucket = "", ...parts] = text.slice(BUCKET_SCHEME.length).replace(/\/$/, "").split("/");
  if (!BUCKET_NAME.test(bucket) || parts.length === 0 || !parts.every((part) => PREFIX_PART.test(part))) return null;
  return { kind: "bucket", bucket, prefix: parts.join("/") };
}

/** Files that only their owner can read: they contain hashes of passwords and keys. */
export function folderStore(path: string): PartStore {
  const folder = resolve(path);
  return {
    place: folder,
    list: async () => (await readdir(folder).catch(unlessMissing)) ?? [],
    get: (name) => readFile(join(folder, name)).catch(unlessMissing),
    put: async (name, content) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = join(folder, `${randomUUID()}.part`);
      await writeFile(temporary, content, { mode: 0o600, flag: "wx", flush: true });
      await rename(temporary, join(folder, name));
    },
  };
}

/** R2 shows an object only once it is complete. */
export function bucketStore(bucket: ObjectBucket, name: string, prefix: string): PartStore {
  const folder = `${prefix}/`;
  return {
    place: `${BUCKET_SCHEME}${name}/${prefix}`,
    list: async () => {
      const keys: string[] = [];
      for (let page: string[] | null = null; page === null || page.length === LIST_MAX;) {
        page = await bucket.list(folder, keys.at(-1));
        keys.push(...page);
      }
      return keys.map((key) => key.slice(folder.length));
    },
    get: (part) => bucket.get(folder + part),
    put: (part, content) => bucket.put(folder + part, content),
  };
}

function unlessMissing(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
  throw error;
}
