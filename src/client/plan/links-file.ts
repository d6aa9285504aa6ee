/**
 * The schema of `links.yaml`, built from the API's own schemas: a member added to links there is also valid in the
 * file. A link is written in full: a missing member is not set. Pure.
 */
import { z } from "zod";

import { TagFilter } from "../../core/contract/link-members.ts";
import { CreateLink } from "../../core/contract/links.ts";

export const FileLink = z
  .strictObject({ ...CreateLink.shape, slug: CreateLink.shape.slug.unwrap() })
  .meta({ description: "A link, named by its domain and slug. Members that are left out are not set." });

export type FileLink = z.infer<typeof FileLink>;

export const LinksFile = z
  .strictObject({
    managed_by: TagFilter.element.optional().meta({
      description:
        "A tag that every link of this file gets. Links that have it and are not in the file are those that --prune deletes.",
      examples: ["website"],
    }),
    domain: z
      .string()
      .optional()
      .meta({
        description: "Domain of the links below that name none; the service's own when omitted.",
        examples: ["go.example.com"],
      }),
    domains: z
      .array(z.string())
      .optional()
      .meta({ description: "Domains that must be active, also those without links yet." }),
    links: z.array(FileLink).meta({ description: "In any order." }),
  })
  .meta({ title: "Links of Hoplink", description: "Links, for hoplink plan, apply and pull." });

export type LinksFile = z.infer<typeof LinksFile>;

/** For editors, which use it to complete and validate the file. */
export function linksFileJsonSchema(): object {
  return z.toJSONSchema(LinksFile, { io: "input", target: "draft-7" });
}
