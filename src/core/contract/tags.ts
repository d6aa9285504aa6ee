/** The tags of an account's links. */
import * as z from "zod";

import { PAGE_TAGS_MAX, TAG_MAX_CHARS } from "../limits.ts";
import { pageQuery, pageShape } from "./primitives.ts";

/** A folded tag may be longer than the tag: `ΐ` becomes three characters. */
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
