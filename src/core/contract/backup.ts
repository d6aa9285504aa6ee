/**
 * What the operator's commands `backup` and `restore` and the Worker say to each other, and the lines of a backup. Members
 * are only added; what changes the meaning of a line gets the next BACKUP_FORMAT.
 */
import { z } from "zod";

import { MODES } from "../account.ts";

/** The format of a backup's parts. A release reads those of all releases before it. */
export const BACKUP_FORMAT = 1;

/** Limit of a request that restores. A page is smaller (store/backup/backup-pages.ts). */
export const RESTORE_BODY_MAX_BYTES = 16 * 1024 * 1024;

const Count = z.int().min(0);

/** A row of a table: values as the database has them, blobs in hexadecimal. */
export const JsonRow = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
export type JsonRow = z.infer<typeof JsonRow>;

/** The values of a row's primary key, in its order. */
const RowKey = z.array(z.string());
export type RowKey = z.infer<typeof RowKey>;

/** Where a copy of a log continues: batches come first, then revisions. */
const LogPlace = z.object({
  /** Of the next batch. */
  position: Count,
  /** The copy has the revisions up to this one. */
  revision: Count,
});
export type LogPlace = z.infer<typeof LogPlace>;

/** A row of an object's table `batches`, blobs in hexadecimal. */
const CopiedBatch = z.object({
  position: Count,
  /** Epoch ms. */
  at: z.int(),
  /** The sender's id of the batch. */
  batch: z.int(),
  revision: z.int(),
  times: z.string().nullable(),
  columns: z.string(),
  /** Times before they were raised (core/clicks/encoding/click-batch.ts). */
  visited: z.string().nullable(),
  /** JSON of the link under this revision; in the first row alone. */
  snapshot: z.string().nullable(),
});
export type CopiedBatch = z.infer<typeof CopiedBatch>;

/** A row of an object's table `revisions`. */
const CopiedRevision = z.object({ revision: z.int(), snapshot: z.string() });
export type CopiedRevision = z.infer<typeof CopiedRevision>;

/** Part of a link's click log: what identifies the link and its object, then the rows of the object. */
const LogPart = z.object({
  account_id: z.string(),
  mode: z.enum(MODES),
  id: z.string(),
  domain: z.string(),
  slug: z.string(),
  object_name: z.string().nullable(),
  /** Where the part begins. */
  from: LogPlace,
  /** Where the next part begins; null when this is the last. */
  next: LogPlace.nullable(),
  /** Number of clicks in all parts. */
  end: Count,
  /** Epoch ms: no later click is dated before. */
  floor: Count,
  batches: z.array(CopiedBatch),
  revisions: z.array(CopiedRevision),
});
export type LogPart = z.infer<typeof LogPart>;

/** A line of a backup: rows of a table, with what belongs to them. */
export const BackupPage = z.object({
  table: z.string(),
  /** Of links, those whose logs are complete with this page, as they were after that. */
  rows: z.array(JsonRow),
  logs: z.array(LogPart),
  /** The images of QR codes by name, in hexadecimal. */
  images: z.record(z.string(), z.string()),
});
export type BackupPage = z.infer<typeof BackupPage>;

/** Where a backup continues. */
export const BackupCursor = z.object({
  /** Names of all tables: a release with others cannot continue. */
  tables: z.string(),
  /** Index of the table that is being read. */
  table: Count,
  /** The last row that was read. */
  after: RowKey.nullable(),
  /** Links up to it whose logs are not complete. */
  open: z.array(z.object({ link: RowKey, from: LogPlace, end: Count })),
  /** Epoch ms: rows that were created later are left out. */
  created_until: Count,
});
export type BackupCursor = z.infer<typeof BackupCursor>;

/** `cursor`: null to begin. */
export const BackupRequest = z.object({ format: z.int(), cursor: BackupCursor.nullable() });

/** `next`: null when the backup is complete; `page`: null when nothing was left. */
export const BackupReply = z.object({
  page: BackupPage.nullable(),
  next: BackupCursor.nullable(),
  /** Epoch ms. */
  created_until: Count,
});
export type BackupReply = z.infer<typeof BackupReply>;

export const BeginRestore = z.object({ format: z.int(), backup_id: z.string().min(1).max(100) });

/** `after`: as the reply before has it; "" to begin. */
export const FinishRestore = z.object({ after: z.string() });

/**
 * `pages`: how many are restored. `after`: set while the restore is not finished. `message`: why nothing was done.
 */
export const RestoreOutcome = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("done"), pages: Count, after: z.string().optional() }),
  z.object({ outcome: z.literal("refused"), message: z.string() }),
]);
export type RestoreOutcome = z.infer<typeof RestoreOutcome>;
