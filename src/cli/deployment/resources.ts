/** What a deployment stores its data in: found by name, or made. Nothing is ever replaced or removed. */
import { type CloudflareApi, CloudflareApiError } from "../cloudflare/api.ts";
import type { CloudAccount } from "./cloud-account.ts";

const NO_DATABASE_CODE = 7404;
const NO_R2_CODE = 10_042;
const NO_BUCKET_CODE = 10_006;
const NAMESPACES_PER_PAGE = 100;
/** Icons of destinations, which the dashboard fetches again after a month. */
const ICONS_RULE = {
  id: "favicons",
  enabled: true,
  conditions: { prefix: "favicons/" },
  deleteObjectsTransition: { condition: { type: "Age", maxAge: 31 * 86_400 } },
};

export interface Made {
  isNew: boolean;
}

export interface Database extends Made {
  name: string;
  id: string;
}

/** Of Workers KV. */
export interface Namespace extends Made {
  id: string;
}

export async function ensureDatabase(api: CloudflareApi, { id }: CloudAccount, name: string): Promise<Database> {
  const path = `/accounts/${id}/d1/database`;
  const found = await api.get<{ uuid: string }>(`${path}/${encodeURIComponent(name)}`).catch(unless(NO_DATABASE_CODE));
  if (found) return { name, id: found.uuid, isNew: false };
  const { uuid } = await api.send<{ uuid: string }>("POST", path, { name });
  return { name, id: uuid, isNew: true };
}

/** Reads are served near visitors. */
export async function enableReplication(api: CloudflareApi, { id }: CloudAccount, database: Database): Promise<void> {
  await api.send("PATCH", `/accounts/${id}/d1/database/${database.id}`, { read_replication: { mode: "auto" } });
}

/** @returns null where the account has not enabled R2 */
export async function ensureBucket(api: CloudflareApi, { id }: CloudAccount, name: string): Promise<Made | null> {
  const path = `/accounts/${id}/r2/buckets`;
  try {
    if (await api.get(`${path}/${name}`).catch(unless(NO_BUCKET_CODE))) return { isNew: false };
    await api.send("POST", path, { name });
    return { isNew: true };
  } catch (error) {
    if (error instanceof CloudflareApiError && error.code === NO_R2_CODE) return null;
    throw error;
  }
}

export async function ensureNamespace(api: CloudflareApi, account: CloudAccount, title: string): Promise<Namespace> {
  const path = `/accounts/${account.id}/storage/kv/namespaces`;
  for (let page = 1; ; page++) {
    const found = await api.get<{ id: string; title: string }[]>(
      `${path}?per_page=${NAMESPACES_PER_PAGE}&order=title&direction=asc&page=${page}`,
    );
    const known = found.find((one) => one.title === title);
    if (known) return { id: known.id, isNew: false };
    if (found.length < NAMESPACES_PER_PAGE) break;
  }
  return { id: (await api.send<{ id: string }>("POST", path, { title })).id, isNew: true };
}

/** Other rules of the bucket stay. */
export async function ensureIconsExpire(api: CloudflareApi, { id }: CloudAccount, bucket: string): Promise<void> {
  const path = `/accounts/${id}/r2/buckets/${bucket}/lifecycle`;
  const { rules = [] } = (await api.get<{ rules?: { id?: string }[] } | null>(path)) ?? {};
  if (rules.some((rule) => rule.id === ICONS_RULE.id)) return;
  await api.send("PUT", path, { rules: [...rules, ICONS_RULE] });
}

function unless(code: number): (error: unknown) => null {
  return (error) => {
    if (error instanceof CloudflareApiError && error.code === code) return null;
    throw error;
  };
}
