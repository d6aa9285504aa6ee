/** The operator's commands `backup`, `restore` and `export`: progress goes to standard error, what was done is their result. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { Report } from "../report.ts";
import { BackupFolder, type Manifest } from "./backup-folder.ts";
import { exportAccount } from "./export-account.ts";
import { OperatorApi } from "./operator-api.ts";
import { restoreBackup } from "./restore-backup.ts";
import { takeBackup } from "./take-backup.ts";

export interface Deployment {
  /** Its origin. */
  url: string;
  issueToken: () => Promise<string>;
}

const PACKAGE_PATH = resolve(import.meta.dirname, "../../../package.json");

export async function backUp({ url, issueToken }: Deployment, path: string): Promise<Report> {
  const { version } = JSON.parse(readFileSync(PACKAGE_PATH, "utf8")) as { version: string };
  const folder = new BackupFolder(resolve(path));
  const began = Date.now();
  const api = new OperatorApi(url, issueToken);
  const manifest = await takeBackup({ api, folder, url, release: version, report: console.error });
  return { folder: folder.path, ...summary(manifest, began) };
}

export async function restore({ url, issueToken }: Deployment, path: string): Promise<Report> {
  const folder = new BackupFolder(resolve(path));
  const began = Date.now();
  const manifest = await restoreBackup({ api: new OperatorApi(url, issueToken), folder, report: console.error });
  return { url, ...summary(manifest, began) };
}

export async function exportTo({ url, issueToken }: Deployment, account: string, path: string): Promise<Report> {
  const folder = resolve(path);
  const api = new OperatorApi(url, issueToken);
  return { folder, ...(await exportAccount({ api, folder, account, report: console.error })) };
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
