/** Links that a former holder of a domain created on it. */
import { z } from "zod";

import { PAGE_LINKS_MAX } from "../limits.ts";
import { CreateLink } from "./links.ts";
import { pageQuery, pageShape, TimestampOut } from "./primitives.ts";

const INHERITED_LINK_EXAMPLE = {
  slug: "spring",
  domain: "go.brand.example",
  short_url: "https://go.brand.example/spring",
  state: "active" as const,
  created_at: "2026-11-21T09:00:00.000Z",
};

export const InheritedLink = z
  .strictObject({
    slug: z.string().meta({ description: "Path of the short URL. Names the link in the routes below the domain." }),
    domain: z.string().meta({ description: "Host name of the short domain." }),
    short_url: z.string().meta({ description: "What visitors open." }),
    state: z.enum(["active", "expired", "disabled", "deleted"]).meta({
      description:
        "Visitors of deleted and disabled ones get 410; those of expired ones too, unless its former holder sends them elsewhere.",
    }),
    created_at: TimestampOut,
  })
  .meta({
    id: "InheritedLink",
    description:
      "A link on your domain that its former holder made. Where it leads and who clicked it is theirs alone.",
    examples: [INHERITED_LINK_EXAMPLE],
  });

export type InheritedLink = z.infer<typeof InheritedLink>;

export const SlugInPath = z.string().meta({
  description: "Slug of the link: in any case, unless the link was made on a case-sensitive domain.",
  examples: ["spring"],
});

export const TakeOverLink = CreateLink.omit({ slug: true, domain: true }).meta({
  id: "TakeOverLink",
  description: "The new link of the address. Its slug is the old one's.",
  examples: [{ url: "https://example.com/spring" }],
});

export type TakeOverLink = z.infer<typeof TakeOverLink>;

export const ListInheritedLinksQuery = z.strictObject(pageQuery(PAGE_LINKS_MAX, "links", /^[A-Za-z0-9_~-]{1,82}$/));

export type ListInheritedLinksQuery = z.infer<typeof ListInheritedLinksQuery>;

export const InheritedLinkPage = z.strictObject(pageShape(InheritedLink)).meta({
  id: "InheritedLinkPage",
  description: "A page may be shorter than `limit`, or empty, although `has_more` is true.",
  examples: [{ data: [INHERITED_LINK_EXAMPLE], has_more: false, next_cursor: null }],
});

export type InheritedLinkPage = z.infer<typeof InheritedLinkPage>;
