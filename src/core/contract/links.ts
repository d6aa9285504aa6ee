/**
 * Links as zod schemas: request bodies, query parameters and responses. What a schema cannot check (expiry, loops,
 * domains, unreachable rules) is in `core/links/link-validation.ts`.
 */
import * as z from "zod";

import { PAGE_LINKS_MAX, PAGE_TAGS_MAX, SLUG_MAX_BYTES, TAG_MAX_CHARS } from "../limits.ts";
import { LINK_STATUSES } from "../links/link-members.ts";
import { parseShortUrl } from "../links/link-search.ts";
import { ClicksBeforeOut } from "./click-imports.ts";
import { MEMBERS_IN, MEMBERS_OUT, Routing, RoutingRule, Slug, TagFilter } from "./link-members.ts";
import {
  Destination,
  FROM_EXAMPLE,
  pageQuery,
  pageShape,
  TimestampIn,
  TimestampOut,
  TO_EXAMPLE,
} from "./primitives.ts";

export const LinkId = z.string().meta({ description: "ID of the link.", examples: ["lnk_01kajm2t4g8q5v7w9x3y6z1a2b"] });

export const LINK_EXAMPLE = {
  id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b",
  slug: "spring",
  domain: "localhost:8787",
  short_url: "http://localhost:8787/spring",
  url: "https://example.com/spring",
  routing: [{ if: { country: "DE" }, to: "https://example.com/de" }],
  expires_at: null,
  created_at: "2026-11-21T09:00:00.000Z",
  updated_at: "2026-11-21T09:05:00.000Z",
};

export const Link = z
  .strictObject({
    id: LinkId,
    slug: z.string().meta({ description: "Path of the short URL, as it was sent or generated." }),
    domain: z.string().meta({ description: "Host name of the short domain." }),
    short_url: z.string().meta({
      description:
        "Full short URL, built from domain and percent-encoded slug. If a test link is on the domain of live links, `/t/` is between them.",
    }),
    url: z.string().meta({ description: "Destination if no rule matches." }),
    routing: z.array(RoutingRule).meta({ description: "Rules in order. The first match wins." }),
    expires_at: TimestampOut.nullable().meta({
      description: "From this time on, visitors get 410 or go to `fallback_url`. Null if the link never expires.",
    }),
    created_at: TimestampOut,
    updated_at: TimestampOut.meta({ description: "Increases with every change." }),
    ...MEMBERS_OUT,
    clicks_before: ClicksBeforeOut.optional(),
    domain_transferred: z.literal(true).optional().meta({
      description:
        "Present if the domain was transferred to another account. Visitors then get 410 permanently, even if you regain the domain.",
    }),
    password_locked_until: TimestampOut.optional().meta({
      description: "Too many wrong passwords.",
    }),
    clicks: z.int().optional().meta({ description: "Total clicks by humans. Only in lists with `include=clicks`." }),
    revision: z.int().optional().meta({
      description: "Number in the link's `ETag`, for bulk requests. Only in lists with `include=revision`.",
    }),
  })
  .meta({
    id: "Link",
    description: "A short URL and its destinations.",
    examples: [LINK_EXAMPLE],
  });

export type Link = z.infer<typeof Link>;

export const CreateLink = z
  .strictObject({
    url: Destination,
    slug: Slug.optional(),
    domain: z.string().optional().meta({ description: "One of your active domains. Defaults to the service's own." }),
    expires_at: TimestampIn.nullish().meta({
      description: "In the future. From this time on, visitors get 410 or go to `fallback_url`.",
    }),
    routing: Routing.optional(),
    ...MEMBERS_IN,
  })
  .meta({ id: "CreateLink", examples: [{ url: "https://example.com/spring", slug: "spring" }] });

export type CreateLink = z.infer<typeof CreateLink>;

export const UpdateLink = z
  .strictObject({
    url: Destination.optional(),
    expires_at: TimestampIn.nullish().meta({ description: "`null` clears it. A time in the past ends the link now." }),
    routing: Routing.optional(),
    ...MEMBERS_IN,
  })
  .meta({
    id: "UpdateLink",
    description:
      "Omitted fields are unchanged. Slug and domain cannot be changed, so that printed QR codes keep working.",
    examples: [{ routing: [{ if: { country: "DE" }, to: "https://example.com/de" }] }],
  });

export type UpdateLink = z.infer<typeof UpdateLink>;

/** A host name, a slug, and whatever else people paste with them. */
const SHORT_URL_MAX_CHARS = 2_000;

/** The last link of the previous page; in click order, its clicks and the time of the count come first (base 36). */
const ID_CURSOR = /^lnk_[0-9a-z]{26}$/;
export const CLICKS_CURSOR = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})-(lnk_[0-9a-z]{26})$/;

const LIST_CURSOR = new RegExp(`${ID_CURSOR.source}|${CLICKS_CURSOR.source}`);

const AllListParameters = z.strictObject({
  ...pageQuery(PAGE_LINKS_MAX, "links", LIST_CURSOR),
  search: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: "Part of the slug, `short_url`, an alias, `url`, the title or a tag, in any case." }),
  domain: z.string().min(1).max(260).optional().meta({ description: "Only links on this short domain." }),
  tag: TagFilter.optional(),
  slug: z.string().min(1).max(SLUG_MAX_BYTES).optional().meta({
    description:
      "Only links with this slug, at most one per domain. Case does not matter unless the domain is `case_sensitive`.",
  }),
  short_url: z
    .string()
    .min(1)
    .max(SHORT_URL_MAX_CHARS)
    .refine((text) => parseShortUrl(text) !== null, "must be a short URL such as https://go.example.com/spring")
    .optional()
    .meta({ description: "Only the link with this short URL, with or without `https://`." }),
  created_after: TimestampIn.optional().meta({
    description: "Only links created at or after this time.",
    ...FROM_EXAMPLE,
  }),
  created_before: TimestampIn.optional().meta({
    description: "Only links created before this time.",
    ...TO_EXAMPLE,
  }),
  status: z.enum(LINK_STATUSES).optional().meta({
    description:
      "Only links that have expired, or only those that have not (`active`). Of the latter, only paused ones, or only those that are not open yet (`scheduled`).",
  }),
  archived: z.enum(["true", "false", "any"]).default("false").meta({
    description: "`true`: only archived links. `any`: archived ones too. Otherwise, they are left out.",
  }),
  include: z.enum(["clicks", "revision"]).optional().meta({
    description: "Adds `clicks` (needs `stats:read`) or `revision` to each link. With `clicks`, pages can be shorter.",
  }),
  sort: z.enum(["created_at", "-created_at", "-clicks"]).default("-created_at").meta({
    description:
      "Oldest first, or newest first with `-`. `-clicks`: most total clicks by humans first, counted at most a minute before the first page. Not with `slug` or `short_url`.",
  }),
});

export const ListLinksQuery = AllListParameters.superRefine(refuseCombinations);
export type ListLinksQuery = z.infer<typeof ListLinksQuery>;

/** The dashboard's, with two more filters. */
export const FindLinksQuery = AllListParameters.extend({
  rules: z.enum(["true", "false"]).optional(),
  origin: z.enum(["api", "dashboard"]).optional(),
}).superRefine(refuseCombinations);
export type FindLinksQuery = z.infer<typeof FindLinksQuery>;

function refuseCombinations(sent: z.infer<typeof AllListParameters>, context: z.RefinementCtx): void {
  const isByClicks = sent.sort === "-clicks";
  const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
  const ofOtherOrder = isByClicks ? ID_CURSOR : CLICKS_CURSOR;
  if (sent.cursor !== undefined && ofOtherOrder.test(sent.cursor)) {
    refuse("cursor", "must be the next_cursor of an earlier page in the same order");
  }
  for (const name of ["slug", "short_url"] as const) {
    if (isByClicks && sent[name] !== undefined) refuse(name, "cannot be combined with sort=-clicks");
  }
}

const page = pageShape(Link);

export const LinkPage = z
  .strictObject({
    ...page,
    data: page.data.meta({ description: "Can have fewer items than `limit`, or none, even if more follow." }),
    has_more: page.has_more.meta({ description: "Whether another page follows. It may be empty." }),
  })
  .meta({ id: "LinkPage", examples: [{ data: [LINK_EXAMPLE], has_more: false, next_cursor: null }] });

export type LinkPage = z.infer<typeof LinkPage>;

export const DeleteLinkQuery = z.strictObject({
  erase: z.enum(["true", "false"]).default("false").meta({ description: "Whether to also erase the link's clicks." }),
});

/** The tags of an account's links. A folded tag may be longer than the tag: `ΐ` becomes three characters. */
const TAG_KEY_MAX_CHARS = 6 * TAG_MAX_CHARS;

export const ListTagsQuery = z.strictObject({
  ...pageQuery(PAGE_TAGS_MAX, "tags", new RegExp(`^[^]{1,${TAG_KEY_MAX_CHARS}}$`)),
  search: z
    .string()
    .min(1)
    .max(TAG_MAX_CHARS)
    .optional()
    .meta({ description: "Only tags that begin with this, in any case." }),
});

export type ListTagsQuery = z.infer<typeof ListTagsQuery>;

const TAG_EXAMPLE = { tag: "Spring", links: 12 };

const Tag = z
  .strictObject({
    tag: z.string().meta({ description: "The tag as it was last spelled. Case does not matter." }),
    links: z.int().meta({ description: "Number of links with the tag in this mode, except deleted links." }),
  })
  .meta({ id: "Tag", description: "A label for links.", examples: [TAG_EXAMPLE] });

export const TagPage = z
  .strictObject(pageShape(Tag))
  .meta({ id: "TagPage", examples: [{ data: [TAG_EXAMPLE], has_more: false, next_cursor: null }] });

export type TagPage = z.infer<typeof TagPage>;
