/** Messages between the operator's command `links databases` and the Worker. */
import * as z from "zod";

import { MODES } from "../account.ts";
import { BUCKETS } from "../links/buckets.ts";

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
