/** R2 buckets for backups: in a Cloudflare account, or on the development server. */
import { type CloudflareApi, CloudflareApiError } from "../cloudflare/api.ts";
import { committedConfig } from "../deployment/config-file.ts";
import type { CloudConnection } from "../deployment/account.ts";
import { NO_BUCKET_CODE, NO_R2_CODE } from "../deployment/resources.ts";

/** Maximum number of keys per response. */
export const LIST_MAX = 1_000;

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
    get: (key) => api.getBytes(`${path}/objects/${key}`).catch(unlessMissing),
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
function unlessMissing(error: unknown): null {
  if (error instanceof CloudflareApiError && error.status === 404 && error.code !== NO_BUCKET_CODE) return null;
  throw error;
}
