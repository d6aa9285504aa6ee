/** Where the files of a backup lie: a folder, or a bucket of R2 below a prefix. */
import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

export interface FileStore {
  /** For people. */
  readonly place: string;
  /** @returns null when there is no such file */
  read: (name: string) => Promise<Uint8Array | null>;
  /** The file is there whole or not at all, wherever the command is cut. */
  write: (name: string, content: Uint8Array) => Promise<void>;
  remove: (name: string) => Promise<void>;
}

/** What a bucket has to offer: R2 through Cloudflare's API, or that of the development server. */
export interface ObjectBucket {
  get: (key: string) => Promise<Uint8Array | null>;
  put: (key: string, content: Uint8Array) => Promise<void>;
  delete: (key: string) => Promise<void>;
}

export function folderStore(path: string): FileStore {
  const folder = resolve(path);
  return {
    place: folder,
    read: (name) => readFile(join(folder, name)).catch(unlessMissing),
    write: (name, content) => writeWhole(join(folder, name), content),
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}

/** R2 shows an object once all of it has come. */
export function bucketStore(bucket: ObjectBucket, place: string, prefix: string): FileStore {
  return {
    place,
    read: (name) => bucket.get(`${prefix}/${name}`),
    write: (name, content) => bucket.put(`${prefix}/${name}`, content),
    remove: (name) => bucket.delete(`${prefix}/${name}`),
  };
}

/** Writes under another name first, which no other command has. */
async function writeWhole(path: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomUUID()}.part`;
  const file = await open(part, "wx");
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}

function unlessMissing(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
  throw error;
}
