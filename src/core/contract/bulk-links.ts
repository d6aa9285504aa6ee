/** Bulk creation of links: the request, and a result for each of its links. */
import { z } from "zod";

import { BULK_LINKS_MAX } from "../limits.ts";
import { ErrorDetail } from "./errors.ts";
import { CreateLink, LINK_EXAMPLE, Link } from "./links.ts";

/**
 * Only the envelope is checked here. Each link is validated on its own, so that one invalid link does not reject the
 * others.
 */
export const BulkEnvelope = z.strictObject({
  links: z
    .array(z.unknown())
    .min(1, `must have 1 to ${BULK_LINKS_MAX} links`)
    .max(BULK_LINKS_MAX, `must have 1 to ${BULK_LINKS_MAX} links`),
});

export const BulkCreate = z.strictObject({ links: z.array(CreateLink).min(1).max(BULK_LINKS_MAX) }).meta({
  id: "BulkCreate",
  examples: [{ links: [{ url: "https://example.com/a" }, { url: "https://example.com/b", slug: "b" }] }],
});

export const BulkResult = z
  .strictObject({
    results: z
      .array(z.union([z.strictObject({ link: Link }), z.strictObject({ error: ErrorDetail })]))
      .meta({ description: "One for each link sent, in their order." }),
  })
  .meta({
    id: "BulkResult",
    examples: [
      {
        results: [
          { link: LINK_EXAMPLE },
          { error: { code: "slug_taken", message: "The slug b is taken on localhost:8787", param: "slug" } },
        ],
      },
    ],
  });

export type BulkResult = z.infer<typeof BulkResult>;
