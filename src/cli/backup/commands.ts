/**
 * The operator's commands `backup`, `restore` and `export`: progress on standard error, the result on standard output.
 */
import { resolve } from "node:path";

import type { Report } from "../command.ts";
import { type DeploymentOptions, type OpenDeployment, withDeployment } from "./deployment.ts";
import { exportAccount } from "./export-account.ts";
import type { Part } from "./parts.ts";
import { type BackupPlace, bucketStore, folderStore, type PartStore } from "./places.ts";
import { restoreBackup } from "./restore-backup.ts";
import { takeBackup } from "./take-backup.ts";

export async function backUp(options: DeploymentOptions, place: BackupPlace): Promise<Report> {
  const began = Date.now();
  return withStore(options, place, true, async ({ api, url }, store) => {
    const last = await takeBackup({ api, store, url, report: options.report });
    return { to: store.place, ...summary(last, began) };
  });
}

export async function restore(options: DeploymentOptions, place: BackupPlace): Promise<Report> {
  const began = Date.now();
  return withStore(options, place, false, async ({ api, url }, store) => {
    return { url, ...summary(await restoreBackup({ api, store, report: options.report }), began) };
  });
}

export async function exportTo(options: DeploymentOptions, account: string, path: string): Promise<Report> {
  const folder = resolve(path);
  return withDeployment(options, async ({ api }) => {
    return { folder, ...(await exportAccount({ api, folder, account, report: options.report })) };
  });
}

/** @param isWritten  whether parts are written, which requires a private bucket */
function withStore<T>(
  options: DeploymentOptions,
  place: BackupPlace,
  isWritten: boolean,
  work: (deployment: OpenDeployment, store: PartStore) => Promise<T>,
): Promise<T> {
  return withDeployment(options, (deployment) => {
    if (place.kind === "folder") return work(deployment, folderStore(place.path));
    return deployment.withBucket(place.bucket, async (bucket) => {
      if (isWritten) await bucket.requirePrivate();
      return work(deployment, bucketStore(bucket, place.bucket, place.prefix));
    });
  });
}

function summary({ backup_id, started_at, counts, bytes, size }: Part, began: number): Report {
  return {
    backup_id,
    as_of: started_at,
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
    megabytes: ((bytes + size) / 1e6).toFixed(1),
    seconds: ((Date.now() - began) / 1_000).toFixed(1),
  };
}
