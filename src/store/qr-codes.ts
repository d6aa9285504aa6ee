/**
 * QR codes: descriptors in D1, images in separate storage (store/images). The image is stored first and never replaced,
 * then the row is written, so every descriptor has its image. An image whose row could not be written remains: its
 * random name is never published.
 */
import { ApiError } from "../core/errors.ts";
import type { ListQrCodesQuery, QrCode } from "../core/contract/qr-codes.ts";
import { objectCallsMax } from "../core/deployment/settings.ts";
import type { Caller } from "./accounts/api-keys.ts";
import {
  assignmentsSql,
  columnNames,
  flag,
  insertSql,
  type Page,
  pageOf,
  plain,
  recordFromRow,
  type RecordOf,
  rowFromRecord,
  prepareNamed,
  valuesByColumn,
  queryRow,
  queryRows,
  changeRows,
} from "./statements.ts";
import { countScans } from "./link-object-client.ts";
import { readLinkOrTombstone, readLinksOrTombstones, type StoredLink } from "./links/links.ts";
import type { LinkRecord } from "./links/link-rows.ts";
import { storeResponseStatements, type IdempotentRequest } from "./directory/idempotency.ts";
import { imageName, isImageName } from "../core/images/image-names.ts";
import { imageStore, type StoredImage } from "./images/images.ts";
import { TimeoutError, withTimeout } from "./timeout.ts";
import { countQrCode, uncountQrCode } from "./accounts/quotas.ts";

const QR_COLUMNS = {
  id: plain<string>("id"),
  linkId: plain<string>("link_id"),
  format: plain<QrCode["format"]>("format"),
  size: plain<number>("size"),
  fg: plain<string>("fg"),
  bg: plain<string>("bg"),
  createdAt: plain<number>("created_at"),
  name: plain<string | null>("name"),
  archived: flag("archived"),
};

/** A stored descriptor, without the members that are computed for each response. Times are epoch ms. */
export type QrRecord = RecordOf<typeof QR_COLUMNS>;

const INSERT_SQL = insertSql("qr_codes", ["account_id", "mode", ...columnNames<QrRecord>(QR_COLUMNS)]);

/** The rest of a descriptor never changes. */
export type QrChanges = Partial<Pick<QrRecord, "name" | "archived">>;

const UPDATE_SQL = `UPDATE qr_codes SET ${assignmentsSql<QrRecord>(QR_COLUMNS, ["name", "archived"])}
  WHERE account_id = :account_id AND mode = :mode AND id = :id RETURNING *`;

const LIST_SQL = `SELECT * FROM qr_codes WHERE account_id = :account_id AND mode = :mode AND id < :before
  ORDER BY id DESC LIMIT :limit`;
const LIST_OF_LINK_SQL = `SELECT * FROM qr_codes INDEXED BY qr_codes_by_link
  WHERE account_id = :account_id AND mode = :mode AND link_id = :link_id AND id < :before AND archived IS :archived
  ORDER BY id DESC LIMIT :limit`;

/** An image has a few KB, at most 2 MiB; after this time a retry is faster. */
const IMAGE_TIMEOUT_MS = 10_000;

/**
 * Stores a code: its image, then its row and the stored response of the request, both in one transaction.
 * @throws ApiError quota_exceeded
 * @throws the UNIQUE error of D1 when a concurrent request with the same key committed first; `idempotent`
 *   (api/middleware/input.ts) then replays its response
 */
export async function createQrCode(
  env: Env,
  caller: Caller,
  code: QrRecord,
  image: Uint8Array,
  idempotentRequest: IdempotentRequest | null,
  response: unknown,
): Promise<void> {
  await countQrCode(env, caller, code.linkId, image.byteLength);
  try {
    await putNewImage(env, imageName(code), image);
  } catch (error) {
    // After a timeout, the image may still be stored, so it stays counted.
    if (!(error instanceof TimeoutError)) await uncountQrCode(env, caller, code.linkId, image.byteLength);
    throw error;
  }
  await env.DB.batch([
    prepareNamed(env.DB, INSERT_SQL, {
      ...rowFromRecord<QrRecord>(QR_COLUMNS, code),
      account_id: caller.accountId,
      mode: caller.mode,
    }),
    ...storeResponseStatements(env, caller, idempotentRequest, response),
  ]);
}

export async function putNewImage(env: Env, name: string, image: Uint8Array): Promise<void> {
  const put = imageStore(env).put(name, image);
  if (!(await withTimeout(IMAGE_TIMEOUT_MS, put))) throw new Error(`an image named ${name} already exists`);
}

/** Restores an image from a backup under its name. @returns false when another image has the name */
export async function restoreImage(env: Env, name: string, image: Uint8Array): Promise<boolean> {
  if (!isImageName(name)) return false;
  try {
    await putNewImage(env, name, image);
    return true;
  } catch (error) {
    const known = await readImage(env, name, null);
    if (known?.body instanceof ReadableStream) await known.body.cancel();
    if (!known) throw error;
    return known.size === image.byteLength;
  }
}

/**
 * A code and the number of its human scans. A code outlives its link.
 * @throws ApiError qr_not_found when the code is not the caller's, or belongs to the other mode
 */
export async function readQrCode(env: Env, caller: Caller, id: string): Promise<CountedQrCode> {
  const sql = "SELECT * FROM qr_codes WHERE account_id = ?1 AND mode = ?2 AND id = ?3";
  const row = await queryRow(env.DB, sql, [caller.accountId, caller.mode, id]);
  if (!row) throw new ApiError("qr_not_found");
  const code = recordFromRow<QrRecord>(QR_COLUMNS, row);
  const stored = await readLinkOrTombstone(env, caller, code.linkId);
  if (!hasCodes(caller, stored.link)) throw new ApiError("qr_not_found");
  return { code, scans: await scansOf(env, stored, code) };
}

/** Concurrent changes of different members are all applied. @throws ApiError qr_not_found if the account was closed */
export async function updateQrCode(env: Env, caller: Caller, id: string, changes: QrChanges): Promise<QrRecord> {
  const row = await prepareNamed(env.DB, UPDATE_SQL, {
    changes: JSON.stringify(valuesByColumn<QrRecord>(QR_COLUMNS, changes)),
    account_id: caller.accountId,
    mode: caller.mode,
    id,
  }).first();
  if (!row) throw new ApiError("qr_not_found");
  return recordFromRow<QrRecord>(QR_COLUMNS, row);
}

/** The names of the codes among these that have one, by id. */
export async function readQrNames(
  { DB }: Pick<Env, "DB">,
  { accountId, mode }: Pick<Caller, "accountId" | "mode">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = `SELECT id, name FROM qr_codes WHERE account_id = ?1 AND mode = ?2 AND name IS NOT NULL
    AND id IN (SELECT value FROM json_each(?3))`;
  const results = await queryRows<{ id: string; name: string }>(DB, sql, [accountId, mode, JSON.stringify(ids)]);
  return new Map(results.map(({ id, name }) => [id, name]));
}

/** A code and the number of its human scans. */
export interface CountedQrCode {
  code: QrRecord;
  scans: number;
}

/** Returns 0 for an erased link, whose object may have its clicks for a while. */
async function scansOf(env: Env, { link, isErased }: StoredLink, { id }: QrRecord): Promise<number> {
  return isErased ? 0 : (await countScans(env, link, { qr: id })).scans;
}

/** A key sees only the codes of links created through the API; a session sees those of every link. */
function hasCodes(caller: Caller, { origin }: Pick<LinkRecord, "origin">): boolean {
  return caller.origin === "dashboard" || origin === "api";
}

/**
 * Lists codes of the account, or of one link, newest first: paginated by id, which begins with the creation time.
 * Returns fewer than `limit` if the caller may not see some, or the Workers plan limits how many a request may count.
 * Of the account's codes, archived ones are left out only after a page was read: a million of them would take long.
 */
export async function listQrCodes(
  env: Env,
  caller: Caller,
  { link_id, cursor, ...asked }: ListQrCodesQuery,
): Promise<Page<CountedQrCode>> {
  // Each code requires a call to the object of its link.
  const limit = Math.min(asked.limit, objectCallsMax(env));
  const isArchived = asked.archived === "true";
  const { results } = await prepareNamed(env.DB, link_id === undefined ? LIST_SQL : LIST_OF_LINK_SQL, {
    account_id: caller.accountId,
    mode: caller.mode,
    link_id: link_id ?? null,
    archived: isArchived ? 1 : null,
    before: cursor ?? "~",
    limit: limit + 1,
  }).all();
  const codes = results.map((row) => recordFromRow<QrRecord>(QR_COLUMNS, row));
  const { items, nextCursor } = pageOf(codes, limit, ({ id }) => id);
  const wanted = items.filter(({ archived }) => archived === isArchived);
  return { items: await withScans(env, caller, wanted), nextCursor };
}

async function withScans(env: Env, caller: Caller, codes: readonly QrRecord[]): Promise<CountedQrCode[]> {
  const ids = codes.map(({ linkId }) => linkId);
  const links = await readLinksOrTombstones(env, caller, ids);
  const withLink = codes.map((code) => ({ code, stored: links.get(code.linkId) }));
  const visible = withLink.filter(({ stored }) => !stored || hasCodes(caller, stored.link));
  return Promise.all(
    visible.map(async ({ code, stored }) => ({ code, scans: stored ? await scansOf(env, stored, code) : 0 })),
  );
}

/** One call to R2 can delete a thousand. */
const ERASED_CODES = 500;

/** Erases a chunk of an account's codes, images first. @returns whether none is left */
export async function eraseQrCodes(env: Env, accountId: string): Promise<boolean> {
  const sql = "SELECT id, format FROM qr_codes WHERE account_id = ?1 LIMIT ?2";
  const results = await queryRows<Pick<QrRecord, "id" | "format">>(env.DB, sql, [accountId, ERASED_CODES]);
  if (results.length === 0) return true;
  await imageStore(env).delete(results.map(imageName));
  const erase = "DELETE FROM qr_codes WHERE account_id = ?1 AND id IN (SELECT value FROM json_each(?2))";
  await changeRows(env.DB, erase, [accountId, JSON.stringify(results.map(({ id }) => id))]);
  return results.length < ERASED_CODES;
}

/**
 * @param ifNoneMatch  header of a conditional request, as sent
 * @returns null when there is no such image
 */
export async function readImage(env: Env, name: string, ifNoneMatch: string | null): Promise<StoredImage | null> {
  if (!isImageName(name)) return null;
  return withTimeout(IMAGE_TIMEOUT_MS, imageStore(env).get(name, ifNoneMatch));
}
