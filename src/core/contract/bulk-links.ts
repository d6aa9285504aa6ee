/** Bulk creation, update and deletion of links: the request, and the result of each link. */
import * as z from "zod";

import { BULK_LINKS_MAX } from "../limits.ts";
import { ErrorDetail } from "./errors.ts";
import { CreateLink, LINK_EXAMPLE, Link, LinkId, UpdateLink } from "./links.ts";

const LIST_MESSAGE = `must have 1 to ${BULK_LINKS_MAX} links`;

function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).min(1, LIST_MESSAGE).max(BULK_LINKS_MAX, LIST_MESSAGE);
}

/**
 * Only the envelope is checked here. Each link is validated on its own, so that one invalid link does not reject the
 * others.
 */
export const BulkEnvelope = z.strictObject({ links: listOf(z.unknown()) });

export const BulkCreate = z.strictObject({ links: listOf(CreateLink) }).meta({
  id: "BulkCreate",
  examples: [{ links: [{ url: "https://example.com/a" }, { url: "https://example.com/b", slug: "b" }] }],
});

export const BulkResult = z
  .strictObject({
    results: z
      .array(z.union([z.strictObject({ link: Link }), z.strictObject({ error: ErrorDetail })]))
      .meta({ description: "One result for each link, in the order of the request." }),
  })
  .meta({
    id: "BulkResult",
    examples: [
      {
        results: [
          { link: LINK_EXAMPLE },
          { error: { code: "slug_taken", message: "The slug b is already taken on localhost:8787.", param: "slug" } },
        ],
      },
    ],
  });

export type BulkResult = z.infer<typeof BulkResult>;

const Revision = z
  .int()
  .min(1)
  .meta({ description: "Number in the `ETag` that the link must still have, as with `If-Match`.", examples: [3] });

const LINK_REFERENCE = { id: LinkId, revision: Revision.optional() };

/** One link of a bulk update: a reference to the link, and the members of a PATCH. */
export const BulkUpdateItem = UpdateLink.extend(LINK_REFERENCE).meta({
  id: "BulkUpdateItem",
  description: "Omitted fields are unchanged.",
});

export const BulkUpdate = z.strictObject({ links: listOf(BulkUpdateItem) }).meta({
  id: "BulkUpdate",
  examples: [
    {
      links: [
        { id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b", revision: 3, expires_at: "2026-12-31T23:59:59Z" },
        { id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2c", url: "https://example.com/autumn" },
      ],
    },
  ],
});

export const BulkDeleteItem = z.strictObject(LINK_REFERENCE).meta({ id: "BulkDeleteItem" });

const Erase = z.boolean().optional().meta({ description: "Whether to also erase the clicks of these links." });

/** Like `BulkEnvelope`: each link is checked on its own. */
export const BulkDeleteEnvelope = BulkEnvelope.extend({ erase: Erase });

export const BulkDelete = z.strictObject({ links: listOf(BulkDeleteItem), erase: Erase }).meta({
  id: "BulkDelete",
  examples: [
    { links: [{ id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b", revision: 3 }, { id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2c" }] },
  ],
});

export const BulkDeleteResult = z
  .strictObject({
    results: z
      .array(
        z.union([z.strictObject({ id: LinkId, deleted: z.literal(true) }), z.strictObject({ error: ErrorDetail })]),
      )
      .meta({ description: "One result for each link, in the order of the request." }),
  })
  .meta({
    id: "BulkDeleteResult",
    examples: [
      {
        results: [
          { id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b", deleted: true },
          { error: { code: "link_not_found", message: "No such link in this account and mode." } },
        ],
      },
    ],
  });

export type BulkDeleteResult = z.infer<typeof BulkDeleteResult>;
