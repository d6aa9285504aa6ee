/** Messages between the operator's commands `export` and `links databases` and the Worker. */
import * as z from "zod";

import { MODES, PLANS } from "../account.ts";
import { PAGE_CLICKS_MAX, PAGE_REVISIONS_MAX } from "../limits.ts";
import { BUCKETS } from "../links/buckets.ts";
import { LinkRevision } from "./link-revisions.ts";
import { Link } from "./links.ts";
import { decimal } from "./primitives.ts";

const EXPORTED_LINKS_MAX = 200;

export const ExportedAccount = z.object({ id: z.string(), email: z.string(), plan: z.enum(PLANS) });

/** `after`: the last link of the previous page. */
export const ExportedLinksQuery = z.strictObject({
  after: z.string().default(""),
  limit: decimal(1, EXPORTED_LINKS_MAX).default(EXPORTED_LINKS_MAX),
});

/** A deleted link no longer has a destination. */
export const ExportedLink = Link.omit({ clicks: true, revision: true }).extend({
  url: z.string(),
  mode: z.enum(MODES),
  state: z.enum(["active", "disabled", "deleted"]),
});
export type ExportedLink = z.infer<typeof ExportedLink>;

export const ExportedLinks = z.object({ links: z.array(ExportedLink) });

/** `after`: sequence number of the last click of the previous page. */
export const ExportedClicksQuery = z.strictObject({
  after: decimal(0).default(0),
  limit: decimal(1, PAGE_CLICKS_MAX).default(PAGE_CLICKS_MAX),
});

/** `before`: the last revision of the previous page. Deleted links have none. */
export const ExportedRevisionsQuery = z.strictObject({
  before: decimal(1).optional(),
  limit: decimal(1, PAGE_REVISIONS_MAX).default(PAGE_REVISIONS_MAX),
});

/** `next`: `before` of the next page; null on the last. */
export const ExportedRevisions = z.object({ revisions: z.array(LinkRevision), next: z.int().nullable() });
export type ExportedRevisions = z.infer<typeof ExportedRevisions>;

export const LinkDatabasesReport = z.object({
  /** `LINK_DATABASES`, or its default. */
  setting: z.string(),
  databases: z.array(
    z.object({
      name: z.string(),
      /** Links that are not deleted. */
      links: z.int(),
      /** Links ever created, including deleted ones, which keep their slugs. */
      made: z.int(),
      bytes: z.int(),
    }),
  ),
});
export type LinkDatabasesReport = z.infer<typeof LinkDatabasesReport>;

const bucket = z
  .int()
  .min(0)
  .max(BUCKETS - 1);

const LinkKey = z.object({ account_id: z.string().max(64), mode: z.enum(MODES), id: z.string().max(64) });

/** One step of a move. Steps can be repeated. */
export const MoveBuckets = z.object({
  first: bucket,
  last: bucket,
  to: z.string().max(16),
  /** `after` of the previous step; null for the first one, which closes the buckets in their source. */
  after: LinkKey.nullable(),
});
export type MoveBuckets = z.infer<typeof MoveBuckets>;

export const MoveOutcome = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("moved"), moved: z.int(), scanned: z.int(), after: LinkKey.nullable() }),
  z.object({ outcome: z.literal("refused"), message: z.string() }),
]);
export type MoveOutcome = z.infer<typeof MoveOutcome>;
