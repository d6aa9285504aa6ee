/** The revisions of a link: its content after each change. */
import { z } from "zod";

import { figure, LINK_REVISIONS_MAX, PAGE_REVISIONS_MAX } from "../limits.ts";
import { REVISION_MEMBERS, type RevisionMember } from "../links/content-changes.ts";
import { MEMBERS_OUT } from "./link-members.ts";
import { Link } from "./links.ts";
import { pageQuery, pageShape, TimestampOut } from "./primitives.ts";

export const RevisionNumber = z.string().meta({
  description: "Number of the revision, as the list of revisions and the `ETag` have it.",
  examples: ["3"],
});

const ChangedBy = z
  .strictObject({
    type: z.enum(["key", "dashboard", "operator", "domain_holder"]).meta({
      description:
        "An API key; somebody signed in to the dashboard; who runs the service; the account that the link's domain has passed to.",
    }),
    key_id: z
      .string()
      .optional()
      .meta({ description: "Of the API key, also when it has been revoked since. Left out for the others." }),
  })
  .nullable()
  .meta({ description: "Null where it is not known." });

/** The members of a link that revisions store. */
const CONTENT = {
  url: Link.shape.url,
  routing: Link.shape.routing,
  expires_at: Link.shape.expires_at,
  ...MEMBERS_OUT,
  disabled: z.literal(true).optional().meta({
    description:
      "Whether the operator had switched the link off, or its domain had passed to another account. Left out when not; restoring does not change it.",
  }),
} satisfies Record<RevisionMember, z.ZodType>;

const REVISION_EXAMPLE = {
  revision: 2,
  changed_at: "2026-11-21T09:05:00.000Z",
  changed_by: { type: "key", key_id: "3vXk81Qe" },
  changed: ["routing"],
  url: "https://example.com/spring",
  routing: [{ if: { country: "DE" }, to: "https://example.com/de" }],
  expires_at: null,
};

export const LinkRevision = z
  .strictObject({
    revision: z.int().meta({
      description:
        "The last number under which the link was so. A change that changed nothing has no entry of its own: its number is one of the next entry.",
    }),
    changed_at: TimestampOut.meta({ description: "Since when the link was so." }),
    changed_by: ChangedBy,
    changed: z.array(z.enum(REVISION_MEMBERS)).nullable().meta({
      description:
        "What is different from the revision before; empty for the creation of the link, null where the one before is no longer kept.",
    }),
    ...CONTENT,
  })
  .meta({ id: "LinkRevision", examples: [REVISION_EXAMPLE] });

export type LinkRevision = z.infer<typeof LinkRevision>;

export const ListRevisionsQuery = z.strictObject(pageQuery(PAGE_REVISIONS_MAX, "revisions", /^[1-9][0-9]{0,14}$/));

export const LinkRevisionPage = z
  .strictObject({
    ...pageShape(LinkRevision),
    complete: z.boolean().meta({
      description: `Whether the history goes back to the creation of the link. False: only the last ${figure(LINK_REVISIONS_MAX)} changes are kept, fewer of very long ones.`,
    }),
  })
  .meta({
    id: "LinkRevisionPage",
    examples: [{ data: [REVISION_EXAMPLE], has_more: true, next_cursor: "2", complete: true }],
  });

export type LinkRevisionPage = z.infer<typeof LinkRevisionPage>;

/** Empty, because the path identifies the revision. */
export const RestoreRevision = z.strictObject({}).meta({ id: "RestoreRevision", examples: [{}] });
