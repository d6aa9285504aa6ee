/**
 * The storage for the parts of a backup, as named on the command line: a folder, or `r2:BUCKET/PREFIX`. A bucket is in a
 * Cloudflare account, or on the development server.
 */
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { replaceFile } from "../../client/cli/files.ts";
import { type CloudflareApi, CloudflareApiError } from "../cloudflare/api.ts";
import type { CloudConnection } from "../deployment/account.ts";
import { committedConfig } from "../deployment/config-file.ts";
import { NO_BUCKET_CODE, NO_R2_CODE } from "../deployment/resources.ts";

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
      await replaceFile(join(folder, name), content);
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

/** Maximum number of keys per response. */
const LIST_MAX = 1_000;

export interface ObjectBucket {
  /** @throws Error if a backup there would be publicly readable */
  requirePrivate: () => Promise<void>;
  /** Up to LIST_MAX keys after the given one, in order; from the first one if it is undefined. */
  list: (prefix: string, after: string | undefined) => Promise<string[]>;
  /** @returns null if the object does not exist */
  get: (key: string) => Promise<Uint8Array | null>;
  put: (key: string, content: Uint8Array) => Promise<void>;
}

/** @param imagesBucket  of the deployment; null if it has none */
export function cloudBucket(
  { api, account }: CloudConnection,
  name: string,
  imagesBucket: string | null,
): ObjectBucket {
  const path = `/accounts/${account.id}/r2/buckets/${name}`;
  return {
    requirePrivate: async () => {
      if (name === imagesBucket) throw holdsImages(name);
      const host = await publicHost(api, path).catch(explain(name));
      if (host === null) return;
      throw new Error(`The bucket ${name} is public at ${host}. Choose a private bucket for the backup.`);
    },
    list: async (prefix, after) => {
      const query = { prefix, per_page: String(LIST_MAX), ...(after === undefined ? {} : { start_after: after }) };
      const found = api.get<{ key: string }[]>(`${path}/objects?${new URLSearchParams(query)}`);
      return (await found.catch(explain(name))).map(({ key }) => key);
    },
    get: (key) => api.getBytes(`${path}/objects/${key}`).catch(unlessNoObject),
    put: (key, content) => api.putBytes(`${path}/objects/${key}`, content),
  };
}

export function localBucket(bucket: R2Bucket, name: string): ObjectBucket {
  return {
    requirePrivate: async () => {
      const images = committedConfig().r2_buckets ?? [];
      if (images.some(({ bucket_name }) => bucket_name === name)) throw holdsImages(name);
    },
    list: async (prefix, after) => {
      const { objects } = await bucket.list({ prefix, limit: LIST_MAX, ...(after && { startAfter: after }) });
      return objects.map(({ key }) => key);
    },
    get: async (key) => {
      const object = await bucket.get(key);
      return object && new Uint8Array(await object.arrayBuffer());
    },
    put: async (key, content) => void (await bucket.put(key, new Uint8Array(content))),
  };
}

/** @returns the first host at which the bucket is publicly readable; null if there is none */
async function publicHost(api: CloudflareApi, bucket: string): Promise<string | null> {
  interface Domain {
    domain: string;
    enabled?: boolean;
  }
  const [custom, managed] = await Promise.all([
    api.get<{ domains?: Domain[] } | null>(`${bucket}/domains/custom`),
    api.get<Domain | null>(`${bucket}/domains/managed`),
  ]);
  const hosts = (custom?.domains ?? []).filter(({ enabled }) => enabled !== false);
  if (managed?.enabled) hosts.push(managed);
  return hosts[0]?.domain ?? null;
}

function holdsImages(name: string): Error {
  return new Error(`The bucket ${name} contains the images of QR codes, which are public. Choose another bucket.`);
}

function explain(name: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof CloudflareApiError && error.code === NO_BUCKET_CODE)
      throw new Error(`The bucket ${name} does not exist. Create it with \`npx wrangler r2 bucket create ${name}\`.`);
    if (error instanceof CloudflareApiError && error.code === NO_R2_CODE)
      throw new Error("The account has not enabled R2. Enable it in Cloudflare's dashboard, or back up to a folder.");
    throw error;
  };
}

/** If the bucket was deleted in the meantime, the object does not exist. */
function unlessNoObject(error: unknown): null {
  if (error instanceof CloudflareApiError && error.status === 404 && error.code !== NO_BUCKET_CODE) return null;
  throw error;
}
