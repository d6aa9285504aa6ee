/** Optional members of a link, present only when they are set. In a request, `null` clears one. */
import { z } from "zod";

import { TAG_MAX_CHARS, TAGS_MAX, TITLE_MAX_CHARS } from "../limits.ts";
import { tagKey } from "../links/case-folding.ts";
import { Destination, TimestampIn, TimestampOut } from "./primitives.ts";

const Title = boundedText(TITLE_MAX_CHARS).refine((text) => text === "" || text.trim() !== "", "must not be blank");

const Tag = boundedText(TAG_MAX_CHARS).refine((text) => text.trim() === text, "must not begin or end with white space");

const Tags = z
  .array(Tag)
  .max(TAGS_MAX, `must have at most ${TAGS_MAX} tags`)
  .superRefine((tags, context) => {
    const first = new Map<string, number>();
    for (const [i, tag] of tags.entries()) {
      // Refused already. Folding thousands of combining accents takes quadratic time.
      if (isLonger(tag, TAG_MAX_CHARS)) continue;
      const key = tagKey(tag);
      const earlier = first.get(key);
      if (earlier === undefined) first.set(key, i);
      else context.addIssue({ code: "custom", path: [i], message: `is tags.${earlier} again: case does not matter` });
    }
  });

export const TagFilter = z
  .array(Tag)
  .max(TAGS_MAX, `must be given at most ${TAGS_MAX} times`)
  .meta({ description: "Only links with this tag, in any case. May be repeated: all of them must be there." });

export const MEMBERS_IN = {
  title: Title.nullable()
    .optional()
    .meta({ description: "A name for people, shown in lists. Visitors never see it.", examples: ["Spring sale"] }),
  tags: Tags.nullable()
    .optional()
    .meta({
      description: `At most ${TAGS_MAX}, each once: case does not matter. Returned as typed, in this order.`,
      examples: [["Spring", "print"]],
    }),
  starts_at: TimestampIn.nullable()
    .optional()
    .meta({ description: "Before `expires_at`. Until then visitors get 404, or go to `fallback_url`." }),
  fallback_url: Destination.nullable()
    .optional()
    .meta({
      description:
        "Where visitors go who come before `starts_at` or after `expires_at`; not those of a deleted or disabled link. They are not counted. Validated as `url` is.",
      examples: ["https://example.com/soon"],
    }),
  forward_query: z.boolean().nullable().optional().meta({
    description: `Whether the query parameters of a visit are added to its destination. One that stands there already is never replaced; \`qr\` is not passed on.`,
  }),
};

export const MEMBERS_OUT = {
  title: z.string().optional().meta({ description: "Left out when there is none." }),
  tags: z
    .array(z.string())
    .optional()
    .meta({ description: "As typed, in the order given. Left out when there are none." }),
  starts_at: TimestampOut.optional().meta({ description: "Left out when the link is open from its creation on." }),
  fallback_url: z.string().optional().meta({ description: "Left out when there is none." }),
  forward_query: z.literal(true).optional().meta({ description: "Left out when it is false." }),
};

/** Counts length in code points, as JSON Schema does: zod's own bounds count an emoji as two. */
function boundedText(maxChars: number) {
  const message = `must have 1 to ${maxChars} characters`;
  return z
    .string()
    .superRefine((text, context) => {
      if (text === "") context.addIssue({ code: "too_small", origin: "string", minimum: 1, message, input: text });
      else if (isLonger(text, maxChars)) {
        context.addIssue({ code: "too_big", origin: "string", maximum: maxChars, message, input: text });
      }
    })
    .refine((text) => !/\p{Cc}/u.test(text), "must not contain control characters")
    .refine((text) => text.isWellFormed(), "must be well-formed Unicode")
    .meta({ minLength: 1, maxLength: maxChars });
}

/** A code point has at most two code units, so a longer text is not split into code points. */
function isLonger(text: string, maxChars: number): boolean {
  return text.length > 2 * maxChars || [...text].length > maxChars;
}
