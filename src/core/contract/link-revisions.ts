/** The revisions of a link: its content after each change. */
import * as z from "zod";

import { figure, LINK_REVISIONS_MAX, PAGE_REVISIONS_MAX } from "../limits.ts";
import { REVISION_MEMBERS, type RevisionMember } from "../links/link-members.ts";
import { MEMBERS_OUT } from "./link-members.ts";
import { Link } from "./links.ts";
import { pageQuery, pageShape, TimestampOut } from "./primitives.ts";

export const RevisionNumber = z.string().meta({
  description: "Number of the revision, as in the list of revisions and the `ETag`.",
  examples: ["3"],
});

const ChangedBy = z
  .strictObject({
    type: z.enum(["key", "dashboard", "operator", "domain_holder"]).meta({
      description:
        "`key`: an API key. `dashboard`: a user of the dashboard. `operator`: an operator of the service. `domain_holder`: the account that the link's domain was transferred to.",
    }),
    key_id: z
      .string()
      .optional()
      .meta({ description: "ID of the API key, even if it has been revoked. Omitted for other types." }),
  })
  .nullable()
  .meta({ description: "Author of the change. Null if unknown." });

const { password_protected: _, ...OPTIONAL_MEMBERS } = MEMBERS_OUT;

/** The members of a link that revisions store. */
const CONTENT = {
  url: Link.shape.url,
  routing: Link.shape.routing,
  expires_at: Link.shape.expires_at,
  ...OPTIONAL_MEMBERS,
  disabled: z.literal(true).optional().meta({
    description:
      "Present if an operator had disabled the link, or if its domain had been transferred to another account. Restoring a revision does not change it.",
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
        "The last revision number with this content. A change that had no effect has no separate entry: its number belongs to the next entry.",
    }),
    changed_at: TimestampOut.meta({ description: "When the link got this content." }),
    changed_by: ChangedBy,
    changed: z.array(z.enum(REVISION_MEMBERS)).nullable().meta({
      description:
        "Members that differ from the previous revision. Empty for the creation of the link. Null if the previous revision is no longer kept.",
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
      description: `Whether the history includes the creation of the link. If false, only the last ${figure(LINK_REVISIONS_MAX)} changes are kept, or fewer if they are very long.`,
    }),
  })
  .meta({
    id: "LinkRevisionPage",
    examples: [{ data: [REVISION_EXAMPLE], has_more: true, next_cursor: "2", complete: true }],
  });

export type LinkRevisionPage = z.infer<typeof LinkRevisionPage>;

/** Empty, because the path identifies the revision. */
export const RestoreRevision = z.strictObject({}).meta({ id: "RestoreRevision", examples: [{}] });
