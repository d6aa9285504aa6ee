/**
 * What the operator's commands `backup` and `restore` and the Worker say to each other, and what lies in the files of a
 * backup. Members are only added; what changes the meaning of a file gets the next BACKUP_FORMAT.
 */
import { z } from "zod";

import { MODES } from "../account.ts";

/** The format of the files. A release reads those of all releases before it. */
export const BACKUP_FORMAT = 1;

/** Links of one page: each is a call to an object, of which a request may make 50 on Workers' free plan. */
export const LOGS_PAGE_LINKS = 32;

export const TABLE_PAGE_ROWS_MAX = 500;

/** What a request that restores may have at most. */
export const RESTORE_BODY_MAX_BYTES = 8 * 1024 * 1024;

/** A row of a table: values as the database has them, blobs in hexadecimal. */
export const JsonRow = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
export type JsonRow = z.infer<typeof JsonRow>;
/** Of a row's primary key, in its order. */
export const RowKey = z.array(z.string());
export type RowKey = z.infer<typeof RowKey>;

export const TableRows = z.object({ rows: z.array(JsonRow) });

const LogPlace = z.object({ position: z.int().min(0), revision: z.int().min(0) });

/** What identifies a link and its object. */
const LinkIdentity = z.object({
  account_id: z.string(),
  mode: z.enum(MODES),
  id: z.string(),
  domain: z.string(),
  slug: z.string(),
  object_name: z.string().nullable(),
});

/** Part of a link's click log; the bytes after it are those of core/backup/log-rows.ts. */
export const LogPart = LinkIdentity.extend({
  /** Where the part begins. */
  from: LogPlace,
  /** Where the next part begins; null when this is the last. */
  next: LogPlace.nullable(),
  /** Number of clicks in all parts. */
  end: z.int().min(0),
  /** Epoch ms: no later click is dated before. */
  floor: z.int().min(0),
  bytes: z.int().min(0),
});
export type LogPart = z.infer<typeof LogPart>;

/** Begins a response with logs. */
export const LogsHead = z.object({
  /** Links whose logs are complete with this response, as they were after that. */
  rows: z.array(JsonRow),
  /** Key of the last link of the page; null when the page is empty: there are no more. */
  last: RowKey.nullable(),
  bytes: z.literal(0),
});
export type LogsHead = z.infer<typeof LogsHead>;

/** A part that is restored. */
export const RestoredLogPart = LogPart.extend({
  /** The row of the link; with the last part of its log. */
  row: JsonRow.nullable(),
});
export type RestoredLogPart = z.infer<typeof RestoredLogPart>;

/** Where a page of rows begins: the key of the last row of the page before, as a parameter for each column. */
export const PageQuery = z.strictObject({
  after: z.array(z.string()).optional(),
  /** Epoch ms: rows that were made later are left out. */
  created_until: z.coerce.number().int().min(0),
  limit: z.coerce.number().int().min(1).max(TABLE_PAGE_ROWS_MAX),
});

/** Where a part of one link's log begins, and where the log ends. */
export const LogQuery = z.strictObject({
  link: z.array(z.string()),
  position: z.coerce.number().int().min(0),
  revision: z.coerce.number().int().min(0),
  end: z.coerce.number().int().min(0),
});

/** The tables with their primary keys, in the order in which they are to be read. */
export const BackupInfo = z.object({
  format: z.int(),
  now: z.int(),
  tables: z.array(z.object({ name: z.string(), key: z.array(z.string()) })),
});
export type BackupInfo = z.infer<typeof BackupInfo>;

export const BeginRestore = z.object({ format: z.int(), backup_id: z.string().min(1).max(100) });

/** `message` says why nothing was done. */
export const RestoreOutcome = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("done"), steps: z.int() }),
  z.object({ outcome: z.literal("refused"), message: z.string() }),
]);
export type RestoreOutcome = z.infer<typeof RestoreOutcome>;

export const RestoreStep = z.object({ steps: z.int().min(0) });

/** `after`: the last account that was counted; "" to begin. */
export const CountAccounts = z.object({ after: z.string() });
export const CountedAccounts = z.object({ last: z.string().nullable() });
