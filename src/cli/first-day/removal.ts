/**
 * Finds and removes the resources of a run. No state is stored: names are derived from the installation's, and a table
 * in its database marks them as created by a run. The database is created first and deleted last, so it marks the rest.
 */
import { cloudBucket } from "../backup/places.ts";
import { unlessCode } from "../cloudflare/api.ts";
import { SetupError, textOf } from "../command.ts";
import type { CloudConnection } from "../deployment/account.ts";
import type { installationNames } from "../deployment/config.ts";
import { forgetDeployment } from "../deployment/config-file.ts";
import { databasePath, executeSql } from "../deployment/connection.ts";
import type { Dialog } from "../deployment/dialog.ts";
import { workerDomains } from "../deployment/domains.ts";
import { findBucket, findNamespace, NO_DATABASE_CODE } from "../deployment/resources.ts";
import { NO_WORKER_CODES } from "../deployment/versions.ts";

export type Names = ReturnType<typeof installationNames>;

/** A resource in the account, as named in messages. */
interface Remnant {
  what: string;
  remove: () => Promise<unknown>;
  /** Whether it proves that the others are a run's. */
  isMark?: boolean;
}

const MARKER_TABLE = "first_day";
const MARK_SQL = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${MARKER_TABLE}'`;

/** Without its mark, the database could not be distinguished from others: it is deleted if marking it fails. */
export async function createMarkedDatabase(cloud: CloudConnection, { database: name }: Names): Promise<void> {
  const { api, account } = cloud;
  const { uuid } = await api.send<{ uuid: string }>("POST", `/accounts/${account.id}/d1/database`, { name });
  const sql = `CREATE TABLE ${MARKER_TABLE} (made_at INTEGER NOT NULL) STRICT`;
  await executeSql(cloud, uuid, sql).catch(async (error: unknown) => {
    await api.send("DELETE", databasePath(account, uuid));
    throw error;
  });
}

/** @throws SetupError if a resource already has one of the names, whoever created it */
export async function requireFree(cloud: CloudConnection, names: Names): Promise<void> {
  const found = await findOwnRemnants(cloud, names);
  if (found.length > 0) throw new SetupError(`An earlier run left ${listOf(found)}. ${removeHint(names)}`);
}

/**
 * Removes everything that a run has created. After a failure, it continues with the rest.
 * @throws SetupError that lists the resources that could not be removed, with the reasons
 */
export async function removeAll(cloud: CloudConnection, names: Names, dialog: Dialog): Promise<void> {
  const left: string[] = [];
  const found = await findOwnRemnants(cloud, names).catch((error: unknown) => {
    throw error instanceof SetupError ? error : new SetupError(`${textOf(error)}\n${leftHint(names)}`);
  });
  for (const { what, remove, isMark } of found) {
    if (isMark && left.length > 0) left.push(`${what}: marks the others as created by this command`);
    else await dialog.step(`Remove ${what}`, remove).catch((error: unknown) => left.push(`${what}: ${textOf(error)}`));
  }
  if (left.length > 0) throw new SetupError(`These resources remain:\n  ${left.join("\n  ")}\n${removeHint(names)}`);
  forgetDeployment(names.name);
}

/** @param domain  points to the Worker @returns the message if the remaining resources are unknown */
export function leftHint(names: Names, domain?: string): string {
  const all = new Set([...Object.values(names), ...(domain === undefined ? [] : [domain])]);
  return `These resources may exist: ${[...all].join(", ")}. ${removeHint(names)}`;
}

function removeHint({ name }: Names): string {
  return `To remove them: npm run first-day -- --remove --name ${name.replace(/^hoplink-/, "")}`;
}

/** @returns them in order of removal @throws SetupError unless they are marked as created by a run */
async function findOwnRemnants(cloud: CloudConnection, names: Names): Promise<Remnant[]> {
  const { api, account } = cloud;
  const base = `/accounts/${account.id}`;
  const namespaces = `${base}/storage/kv/namespaces`;
  const bucket = `${base}/r2/buckets/${names.bucket}`;
  const [domains, worker, images, salts, database] = await Promise.all([
    workerDomains(cloud).then((all) => all.filter(({ service }) => service === names.name)),
    api.get(`${base}/workers/services/${names.name}`).catch(unlessCode(...NO_WORKER_CODES)),
    findBucket(api, bucket),
    findNamespace(cloud, namespaces, names.salts),
    api.get<{ uuid: string }>(databasePath(account, names.database)).catch(unlessCode(NO_DATABASE_CODE)),
  ]);
  const remnant = (what: string, path: string) => ({ what, remove: () => api.send("DELETE", path) });
  const found: Remnant[] = [
    ...domains.map(({ id, hostname }) => remnant(`domain ${hostname}`, `${base}/workers/domains/${id}`)),
    // Includes its objects and their data. From then on, nothing writes to the bucket.
    ...(worker ? [remnant(`Worker ${names.name}`, `${base}/workers/scripts/${names.name}?force=true`)] : []),
    ...(images ? [{ what: `bucket ${names.bucket}`, remove: () => deleteBucket(cloud, names.bucket, bucket) }] : []),
    ...(salts ? [remnant(`KV namespace ${names.salts}`, `${namespaces}/${salts.id}`)] : []),
    ...(database
      ? [{ ...remnant(`database ${names.database}`, databasePath(account, database.uuid)), isMark: true }]
      : []),
  ];
  const [marks] = database ? await executeSql(cloud, database.uuid, MARK_SQL) : [];
  if (found.length === 0 || (marks?.results.length ?? 0) > 0) return found;
  throw new SetupError(
    `${listOf(found)}: not marked as created by this command, so nothing was changed. Choose another --name, or delete these resources yourself if an earlier run was interrupted at its start.`,
  );
}

/** R2 does not delete a bucket that contains objects. */
async function deleteBucket(cloud: CloudConnection, name: string, path: string): Promise<void> {
  const { list } = cloudBucket(cloud, name, null);
  for (let keys = await list("", undefined); keys.length > 0; keys = await list("", keys.at(-1)))
    for (const key of keys) await cloud.api.send("DELETE", `${path}/objects/${key}`);
  await cloud.api.send("DELETE", path);
}

function listOf(remnants: readonly Remnant[]): string {
  return remnants.map(({ what }) => what).join(", ");
}
