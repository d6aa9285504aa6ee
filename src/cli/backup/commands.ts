/** The operator's commands `backup`, `restore` and `export`: progress goes to standard error, what was done is their result. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { Report } from "../report.ts";
import type { Manifest } from "./backup-files.ts";
import { type BackupPlace, withBackupFiles } from "./backup-place.ts";
import { type DeploymentOptions, openDeployment } from "./deployment.ts";
import { exportAccount } from "./export-account.ts";
import { OperatorApi } from "./operator-api.ts";
import { restoreBackup } from "./restore-backup.ts";
import { takeBackup } from "./take-backup.ts";

const PACKAGE_PATH = resolve(import.meta.dirname, "../../../package.json");

export async function backUp(options: DeploymentOptions, place: BackupPlace): Promise<Report> {
  const { version: release } = JSON.parse(readFileSync(PACKAGE_PATH, "utf8")) as { version: string };
  const began = Date.now();
  const { deployment, buckets } = await openDeployment(options, place.kind === "bucket");
  if (place.kind === "bucket") await buckets.requirePrivate(place.bucket);
  return withBackupFiles(place, buckets, async (files) => {
    const api = new OperatorApi(deployment);
    const manifest = await takeBackup({ api, files, url: deployment.url, release, report: options.report });
    return { to: files.place, ...summary(manifest, began) };
  });
}

export async function restore(options: DeploymentOptions, place: BackupPlace): Promise<Report> {
  const began = Date.now();
  const { deployment, buckets } = await openDeployment(options, place.kind === "bucket");
  return withBackupFiles(place, buckets, async (files) => {
    const manifest = await restoreBackup({ api: new OperatorApi(deployment), files, report: options.report });
    return { url: deployment.url, ...summary(manifest, began) };
  });
}

export async function exportTo(options: DeploymentOptions, account: string, path: string): Promise<Report> {
  const folder = resolve(path);
  const { deployment } = await openDeployment(options, false);
  const api = new OperatorApi(deployment);
  return { folder, ...(await exportAccount({ api, folder, account, report: options.report })) };
}

function summary({ backup_id, started_at, counts, files }: Manifest, began: number): Report {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return {
    backup_id,
    as_of: started_at,
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
    megabytes: (bytes / 1e6).toFixed(1),
    seconds: ((Date.now() - began) / 1_000).toFixed(1),
  };
}
