/**
 * Uploaded images of link previews: rows in D1, images beside those of QR codes (store/images). The row is written
 * first, so every image is counted and is found again. An image belongs to an account and mode, and any of their links
 * may use it. Triggers queue images that a link stops using (schema.sql), as does an upload, whose link may not be
 * written, and a restore of a backup. When due, an image that no link uses is deleted.
 */
import type { Plan } from "../core/account.ts";
import { ApiError } from "../core/errors.ts";
import { ID_RANDOM_WORDS, timeOrderedId } from "../core/identifiers.ts";
import { type ImageFormat, imageName, socialImageName } from "../core/images/image-names.ts";
import { figure, SOCIAL_IMAGES_MAX_BYTES } from "../core/limits.ts";
import type { SocialCard } from "../core/links/link-members.ts";
import { earliest, HOUR_MS } from "../core/time.ts";
import type { Caller } from "./accounts/api-keys.ts";
import { askReachableDatabases, writeLinkIn } from "./directory/directory.ts";
import { imageStore } from "./images/images.ts";
import { findUsedImages } from "./links/links.ts";
import { putNewImage } from "./qr-codes.ts";
import { refusedWith } from "./timeout.ts";
import { changeRows, queryRow, queryRows } from "./statements.ts";

/** Long enough to undo a change. The trigger `links_image_released` uses the same delay. */
const IMAGE_RELEASE_DELAY_MS = 12 * HOUR_MS;

/** @param linkId  the link that will use the image @returns the name of the image @throws ApiError quota_exceeded */
export async function storeSocialImage(
  env: Env,
  { accountId, mode, plan }: Caller,
  linkId: string,
  format: ImageFormat,
  bytes: Uint8Array,
): Promise<string> {
  const now = Date.now();
  const id = timeOrderedId("img_", now, crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS)));
  const sql = "INSERT INTO image_releases (due_at, account_id, mode, image) VALUES (?1, ?2, ?3, ?4)";
  await writeLinkIn(env, { accountId, mode, id: linkId }, (database) =>
    changeRows(database, sql, [now + IMAGE_RELEASE_DELAY_MS, accountId, mode, id]),
  );
  const count = env.DB.prepare(
    `INSERT INTO social_image_counts (account_id, bytes) VALUES (?1, ?2) ON CONFLICT (account_id) DO UPDATE SET
       bytes = iif(bytes + excluded.bytes <= ?3, bytes + excluded.bytes, NULL)`,
  ).bind(accountId, bytes.byteLength, SOCIAL_IMAGES_MAX_BYTES[plan]);
  const insert = env.DB.prepare(
    "INSERT INTO social_images (account_id, mode, id, format, bytes, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
  ).bind(accountId, mode, id, format, bytes.byteLength, now);
  await refusedWith(env.DB.batch([count, insert]), { image_quota: () => quotaExceeded(plan) });
  await putNewImage(env, imageName({ id, format }), bytes);
  return imageName({ id, format });
}

function quotaExceeded(plan: Plan): ApiError {
  const most = `${figure(SOCIAL_IMAGES_MAX_BYTES[plan])} bytes`;
  const message = `Images of link previews take ${most}, the limit of the ${plan} plan. Images that no link uses are deleted within a day.`;
  return new ApiError("quota_exceeded", message);
}

/** The card without an uploaded image that has been deleted since. */
export async function withoutDeletedImage(
  env: Env,
  caller: Caller,
  card: SocialCard | null,
): Promise<SocialCard | null> {
  const name = socialImageName(card?.image ?? "");
  if (!card || name === null) return card;
  const sql = "SELECT 1 FROM social_images WHERE account_id = ?1 AND mode = ?2 AND id = ?3";
  const found = await queryRow(env.DB, sql, [caller.accountId, caller.mode, name.replace(/\..*/, "")]);
  if (found) return card;
  const { image: _, ...others } = card;
  return Object.keys(others).length > 0 ? others : null;
}

/**
 * Queues the images of some accounts in the home database, since backups do not contain the queue.
 * @param ids  SQL parameter: JSON array of accounts
 */
export function queueImages(env: Env, ids: string): D1PreparedStatement {
  return env.DB.prepare(
    `INSERT INTO image_releases (due_at, account_id, mode, image) SELECT ?2, account_id, mode, id FROM social_images
     WHERE account_id IN (SELECT value FROM json_each(?1)) ON CONFLICT DO NOTHING`,
  ).bind(ids, Date.now() + IMAGE_RELEASE_DELAY_MS);
}

interface Release {
  due_at: number;
  account_id: string;
  mode: string;
  image: string;
}

interface ImageRow {
  account_id: string;
  mode: string;
  id: string;
  format: ImageFormat;
}

const RELEASES_PER_RUN = 100;

/**
 * Deletes images that are due and that no link uses, some of each database's queue.
 * @returns whether there were any
 */
export async function releaseDueImages(env: Env): Promise<boolean> {
  const done = await askReachableDatabases(env, (database) => releaseDueIn(env, database), "every");
  return done.some(Boolean);
}

async function releaseDueIn(env: Env, database: D1Database): Promise<boolean> {
  const sql = "SELECT * FROM image_releases WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2";
  const due = await queryRows<Release>(database, sql, [Date.now(), RELEASES_PER_RUN]);
  if (due.length === 0) return false;
  await deleteImages(env, await findUnusedImages(env, due));
  // Queued again in the meantime, a release has a later time.
  const keys = JSON.stringify(due.map(({ due_at, account_id, mode, image }) => [due_at, account_id, mode, image]));
  const done = `DELETE FROM image_releases WHERE (due_at, account_id, mode, image) IN
    (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1))`;
  await changeRows(database, done, [keys]);
  return true;
}

/** When the next image may be deleted, epoch ms; null when none is queued. */
export async function nextImageReleaseAt(env: Env): Promise<number | null> {
  const times = await askReachableDatabases(
    env,
    (database) => database.prepare("SELECT min(due_at) AS at FROM image_releases").first<number | null>("at"),
    "every",
  );
  return earliest(times);
}

async function findUnusedImages(env: Env, due: readonly Release[]): Promise<ImageRow[]> {
  const keys = due.map(({ account_id, mode, image }) => JSON.stringify([account_id, mode, image]));
  const inUse = await findUsedImages(env, keys);
  const unused = keys.filter((key) => !inUse.has(key));
  const sql = `SELECT account_id, mode, id, format FROM social_images WHERE (account_id, mode, id) IN
    (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1))`;
  return queryRows<ImageRow>(env.DB, sql, [`[${unused.join()}]`]);
}

/** Images before rows: without its row, no image would be found again. A trigger counts the deletions. */
async function deleteImages(env: Env, images: readonly ImageRow[]): Promise<void> {
  if (images.length === 0) return;
  await imageStore(env).delete(images.map(imageName));
  const sql = `DELETE FROM social_images WHERE (account_id, mode, id) IN
    (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1))`;
  await changeRows(env.DB, sql, [JSON.stringify(images.map(({ account_id, mode, id }) => [account_id, mode, id]))]);
}

/** One call to R2 can delete a thousand. */
const ERASED_IMAGES = 500;

/** Erases a chunk of a closed account's images. @returns whether none is left */
export async function eraseSocialImages(env: Env, accountId: string): Promise<boolean> {
  const sql = "SELECT account_id, mode, id, format FROM social_images WHERE account_id = ?1 LIMIT ?2";
  const results = await queryRows<ImageRow>(env.DB, sql, [accountId, ERASED_IMAGES]);
  await deleteImages(env, results);
  return results.length < ERASED_IMAGES;
}
