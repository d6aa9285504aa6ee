/** Messages between the operator's command `export` and the Worker. */
import * as z from "zod";

import { MODES, PLANS } from "../account.ts";
import { PAGE_CLICKS_MAX, PAGE_REVISIONS_MAX } from "../limits.ts";
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
