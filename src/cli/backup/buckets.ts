/** Buckets of R2 that take backups: those of an account at Cloudflare, or those of the development server. */
import { type CloudflareApi, CloudflareApiError } from "../cloudflare/api.ts";
import { withLocalBucket } from "../database.ts";
import { committedConfig } from "../deployment/config-file.ts";
import type { CloudConnection } from "../deployment/account.ts";
import type { ObjectBucket } from "./file-store.ts";

export interface Buckets {
  /** @throws Error when everybody could read a backup there */
  requirePrivate: (name: string) => Promise<void>;
  use: <T>(name: string, work: (bucket: ObjectBucket) => Promise<T>) => Promise<T>;
}

const NO_BUCKET_CODE = 10_006;
const NO_R2_CODE = 10_042;

/**
 * @param cloud  null when no bucket will be used
 * @param imagesBucket  of the deployment; null where it has none
 */
export function cloudBuckets(cloud: CloudConnection | null, imagesBucket: string | null): Buckets {
  const pathOf = (name: string) => `/accounts/${connected(cloud).account.id}/r2/buckets/${name}`;
  return {
    async requirePrivate(name) {
      if (name === imagesBucket) throw holdsImages(name);
      const host = await publicHost(connected(cloud).api, pathOf(name)).catch(explain(name));
      if (host === null) return;
      throw new Error(`The bucket ${name} is public at ${host}, and a backup must not be: choose another bucket`);
    },
    async use(name, work) {
      const { api } = connected(cloud);
      await api.get(pathOf(name)).catch(explain(name));
      return work(cloudBucket(api, `${pathOf(name)}/objects`));
    },
  };
}

export function localBuckets(persistTo: string | undefined): Buckets {
  return {
    async requirePrivate(name) {
      const images = committedConfig().r2_buckets ?? [];
      if (images.some(({ bucket_name }) => bucket_name === name)) throw holdsImages(name);
    },
    use: (name, work) => withLocalBucket(persistTo, name, (bucket) => work(localBucket(bucket))),
  };
}

function cloudBucket(api: CloudflareApi, path: string): ObjectBucket {
  return {
    get: (key) => api.getBytes(`${path}/${key}`).catch(unlessMissing),
    put: (key, content) => api.putBytes(`${path}/${key}`, content),
    delete: async (key) => void (await api.send("DELETE", `${path}/${key}`).catch(unlessMissing)),
  };
}

function localBucket(bucket: R2Bucket): ObjectBucket {
  return {
    get: async (key) => {
      const object = await bucket.get(key);
      return object && new Uint8Array(await object.arrayBuffer());
    },
    put: async (key, content) => void (await bucket.put(key, new Uint8Array(content))),
    delete: (key) => bucket.delete(key),
  };
}

/** @returns the first host at which everybody reads the bucket; null when there is none */
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

function connected(cloud: CloudConnection | null): CloudConnection {
  if (!cloud) throw new Error("there is no connection to Cloudflare");
  return cloud;
}

function holdsImages(name: string): Error {
  return new Error(`The bucket ${name} has the images of QR codes, which everybody may read: choose another bucket`);
}

function explain(name: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof CloudflareApiError && error.code === NO_BUCKET_CODE)
      throw new Error(`There is no bucket ${name}: make it with \`npx wrangler r2 bucket create ${name}\``);
    if (error instanceof CloudflareApiError && error.code === NO_R2_CODE)
      throw new Error("The account has not enabled R2: do so in the dashboard of Cloudflare, or back up to a folder");
    throw error;
  };
}

/** A bucket that is gone meanwhile is none without the object. */
function unlessMissing(error: unknown): null {
  if (error instanceof CloudflareApiError && error.status === 404 && error.code !== NO_BUCKET_CODE) return null;
  throw error;
}
