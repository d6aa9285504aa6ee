/** Where a deployment keeps the salts of visitors' hashes: it can be without, and then counts no unique visitors. */
import type { CloudflareApi } from "../cloudflare/api.ts";
import { tolerate } from "./built-files.ts";
import type { CloudAccount } from "./cloud-account.ts";
import type { Progress } from "./progress.ts";
import { ensureNamespace } from "./resources.ts";

/** @returns the id of the KV namespace; null when the token may not make one */
export async function ensureSalts(
  api: CloudflareApi,
  account: CloudAccount,
  title: string,
  progress: Progress,
): Promise<string | null> {
  const made = await tolerate(progress, "unique visitors are not counted", () =>
    progress.step(
      `KV namespace ${title}`,
      () => ensureNamespace(api, account, title),
      ({ isNew }) => (isNew ? "made" : "found"),
    ),
  );
  return made?.id ?? null;
}
