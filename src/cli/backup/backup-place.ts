/** Where a backup lies, as the command line names it: a folder, or `r2:BUCKET/PREFIX`. */
import { BackupFiles } from "./backup-files.ts";
import type { Buckets } from "./buckets.ts";
import { bucketStore, folderStore } from "./file-store.ts";

const BUCKET_SCHEME = "r2:";
const BUCKET_NAME = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;
/** Parts of paths that no URL has to escape. */
const PREFIX_PART = /^[\w-][\w.-]*$/;

export type BackupPlace = { kind: "folder"; path: string } | { kind: "bucket"; bucket: string; prefix: string };

/** @returns null when it is empty, as of a variable that is not set, or names a bucket in another way */
export function parsePlace(text: string): BackupPlace | null {
  if (text === "" || text.startsWith(BUCKET_SCHEME.toUpperCase())) return null;
  if (!text.startsWith(BUCKET_SCHEME)) return { kind: "folder", path: text };
  const [bucket = "", ...parts] = text.slice(BUCKET_SCHEME.length).replace(/\/$/, "").split("/");
  if (!BUCKET_NAME.test(bucket) || parts.length === 0 || !parts.every((part) => PREFIX_PART.test(part))) return null;
  return { kind: "bucket", bucket, prefix: parts.join("/") };
}

export function withBackupFiles<T>(
  place: BackupPlace,
  buckets: Buckets,
  work: (files: BackupFiles) => Promise<T>,
): Promise<T> {
  if (place.kind === "folder") return work(new BackupFiles(folderStore(place.path)));
  const { bucket, prefix } = place;
  return buckets.use(bucket, (opened) => {
    return work(new BackupFiles(bucketStore(opened, `${BUCKET_SCHEME}${bucket}/${prefix}`, prefix)));
  });
}
