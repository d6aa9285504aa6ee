/**
 * The schema of `links.yaml`, built from the API's schemas, so that new members of links are also valid in the file.
 * The file describes each link completely: a missing member is not set. Pure.
 */
import * as z from "zod";

import { TagFilter } from "../../core/contract/link-members.ts";
import { CreateLink } from "../../core/contract/links.ts";

export const FileLink = z
  .strictObject({
    ...CreateLink.shape,
    slug: CreateLink.shape.slug.unwrap(),
    password_protected: z.boolean().nullish().meta({
      description: "Keeps the password that the link has. Write `password` to set one.",
    }),
  })
  .meta({ description: "A link, identified by its domain and slug. Omitted members are not set." });

export type FileLink = z.infer<typeof FileLink>;

export const LinksFile = z
  .strictObject({
    managed_by: TagFilter.element.optional().meta({
      description:
        "A tag that is added to every link of this file. --prune deletes links that have it but are not in the file.",
      examples: ["website"],
    }),
    domain: z
      .string()
      .optional()
      .meta({
        description: "Domain of links that do not specify one. Defaults to the domain of the service.",
        examples: ["go.example.com"],
      }),
    domains: z
      .array(z.string())
      .optional()
      .meta({ description: "Domains that must be active, including those without links in the file." }),
    links: z.array(FileLink).meta({ description: "The links, in any order." }),
  })
  .meta({ title: "Hoplink links", description: "Links for hoplink plan, apply and pull." });

export type LinksFile = z.infer<typeof LinksFile>;

/** JSON Schema with which editors complete and validate the file. */
export function linksFileJsonSchema(): object {
  return z.toJSONSchema(LinksFile, { io: "input", target: "draft-7" });
}
