/**
 * Messages between the operator's commands `backup` and `restore` and the Worker, and the lines of a backup. Members
 * are only added; a change in the meaning of a line increments BACKUP_FORMAT.
 */
import * as z from "zod";

import { MODES } from "../account.ts";

/** The format of a backup's parts. A release can read the formats of all earlier releases. */
export const BACKUP_FORMAT = 1;

/** Maximum body of a restore request. A page is smaller (store/backup/backup-pages.ts). */
export const RESTORE_BODY_MAX_BYTES = 16 * 1024 * 1024;

const Count = z.int().min(0);

/** A row of a table: values as in the database, with blobs in hexadecimal. */
export const JsonRow = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
export type JsonRow = z.infer<typeof JsonRow>;

/** The values of a row's primary key, in key order. */
const RowKey = z.array(z.string());
export type RowKey = z.infer<typeof RowKey>;

/** The position at which a copy of a log continues: imported batches, other batches, then revisions. */
const LogPlace = z.object({
  /** Position of the next imported batch to copy; omitted when all are copied. */
  imported: Count.optional(),
  /** Position of the next batch to copy. */
  position: Count,
  /** The last revision already copied. */
  revision: Count,
});
export type LogPlace = z.infer<typeof LogPlace>;

/** A row of an object's table `batches`, with blobs in hexadecimal. */
const CopiedBatch = z.object({
  /** Whether it is in `imported_batches` instead. */
  imported: z.literal(true).optional(),
  position: Count,
  /** Epoch ms. */
  at: z.int(),
  /** The sender's batch id. */
  batch: z.int(),
  revision: z.int(),
  times: z.string().nullable(),
  columns: z.string(),
  /** Original times of clicks whose times were raised (core/clicks/encoding/click-batch.ts). */
  visited: z.string().nullable(),
  /** JSON of the link at this revision; set in the first row only. */
  snapshot: z.string().nullable(),
});
export type CopiedBatch = z.infer<typeof CopiedBatch>;

/** A row of an object's table `revisions`. */
const CopiedRevision = z.object({ revision: z.int(), snapshot: z.string() });
export type CopiedRevision = z.infer<typeof CopiedRevision>;

/** Part of a link's click log: the identity of the link and its object, then the object's rows. */
const LogPart = z.object({
  account_id: z.string(),
  mode: z.enum(MODES),
  id: z.string(),
  domain: z.string(),
  slug: z.string(),
  object_name: z.string().nullable(),
  /** Start of this part. */
  from: LogPlace,
  /** Start of the next part; null for the last one. */
  next: LogPlace.nullable(),
  /** Number of clicks in all parts. */
  end: Count,
  /** Epoch ms: no later click has an earlier time. */
  floor: Count,
  batches: z.array(CopiedBatch),
  revisions: z.array(CopiedRevision),
  /** Rows of the object's table `imports`; omitted if there is none. */
  imports: z.array(z.object({ id: z.string(), seq: Count, position: Count })).optional(),
});
export type LogPart = z.infer<typeof LogPart>;

/** A line of a backup: rows of a table, with their logs and images. */
export const BackupPage = z.object({
  table: z.string(),
  /** For links: those whose logs this page completes, as read afterwards. */
  rows: z.array(JsonRow),
  logs: z.array(LogPart),
  /** Images of QR codes by name, in hexadecimal. */
  images: z.record(z.string(), z.string()),
});
export type BackupPage = z.infer<typeof BackupPage>;

/** The position at which a backup continues. */
export const BackupCursor = z.object({
  /** Names of all tables: a release with different tables cannot continue. */
  tables: z.string(),
  /** Index of the current table. */
  table: Count,
  /** The last row that was read. */
  after: RowKey.nullable(),
  /** Links up to that row whose logs are still incomplete. */
  open: z.array(z.object({ link: RowKey, from: LogPlace, end: Count })),
  /** Epoch ms: rows created later are left out. */
  created_until: Count,
});
export type BackupCursor = z.infer<typeof BackupCursor>;

/** `cursor`: null for the first request. */
export const BackupRequest = z.object({ format: z.int(), cursor: BackupCursor.nullable() });

/** `next`: null when the backup is complete; `page`: null when no rows remained. */
export const BackupReply = z.object({
  page: BackupPage.nullable(),
  next: BackupCursor.nullable(),
  /** Epoch ms. */
  created_until: Count,
});
export type BackupReply = z.infer<typeof BackupReply>;

export const BeginRestore = z.object({ format: z.int(), backup_id: z.string().min(1).max(100) });

/** `after`: from the previous reply; "" to begin. */
export const FinishRestore = z.object({ after: z.string() });

/** `pages`: number of restored pages. `after`: set until the restore is finished. `message`: why nothing was done. */
export const RestoreOutcome = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("done"), pages: Count, after: z.string().optional() }),
  z.object({ outcome: z.literal("refused"), message: z.string() }),
]);
export type RestoreOutcome = z.infer<typeof RestoreOutcome>;
