/**
 * Optional members of a link, present only when they are set. In a request, `null` clears one. Routing rules are an
 * ordered list of conditions, each with a destination: the schema of each condition is in `core/links/conditions.ts`,
 * and unreachable rules are found by `core/links/link-validation.ts`.
 */
import * as z from "zod";

import {
  LINK_ALIASES_MAX,
  LINK_PASSWORD_MAX_CHARS,
  LINK_PASSWORD_MIN_CHARS,
  RULES_MAX,
  SLUG_MAX_CHARS,
  SOCIAL_DESCRIPTION_MAX_CHARS,
  SOCIAL_TITLE_MAX_CHARS,
  TAG_MAX_CHARS,
  TAGS_MAX,
  TITLE_MAX_CHARS,
} from "../limits.ts";
import { isLocalImage } from "../images/image-names.ts";
import { isLonger, tagKey } from "../links/case-folding.ts";
import { type ConditionKey, CONDITIONS, type SchemaFunctions } from "../links/conditions.ts";
import { type LinkMember, type MemberWith, REDIRECT_STATUSES, type ShownMember } from "../links/link-members.ts";
import type { RuleCondition } from "../links/routing.ts";
import { slugProblem } from "../links/slug-rules.ts";
import { Destination, TimestampIn, TimestampOut } from "./primitives.ts";

const Title = displayName(TITLE_MAX_CHARS);

const Tag = boundedText(TAG_MAX_CHARS).refine((text) => text.trim() === text, "must not begin or end with whitespace");

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
      else context.addIssue({ code: "custom", path: [i], message: `is tags.${earlier} again; case does not matter` });
    }
  });

export const TagFilter = z
  .array(Tag)
  .max(TAGS_MAX, `must be given at most ${TAGS_MAX} times`)
  .meta({ description: "Only links with this tag, in any case. Repeat it to require several tags." });

const SlugText = z.string().superRefine((slug, context) => {
  const message = slugProblem(slug);
  if (message === null) return;
  const issue = { origin: "string", input: slug, message };
  if (slug === "") context.addIssue({ ...issue, code: "too_small", minimum: 1 });
  else if (isLonger(slug, SLUG_MAX_CHARS)) context.addIssue({ ...issue, code: "too_big", maximum: SLUG_MAX_CHARS });
  else context.addIssue({ ...issue, code: "custom" });
});

const SLUG_LENGTH = { minLength: 1, maxLength: SLUG_MAX_CHARS };

/** A custom slug. The alphabet of random slugs is in `core/identifiers.ts`. */
export const Slug = SlugText.meta({
  ...SLUG_LENGTH,
  description:
    "Path of the short URL, unique on its domain. Letters and digits of any script, emoji and `- _ . ~`, in segments separated by `/`. Case does not matter unless the domain is `case_sensitive`. Slugs of deleted links are never reissued.",
  examples: ["spring"],
});

const Aliases = z
  .array(
    z.strictObject({
      slug: SlugText.meta(SLUG_LENGTH),
      domain: z.string().min(1).optional(),
    }),
  )
  .max(LINK_ALIASES_MAX, `must have at most ${LINK_ALIASES_MAX} aliases`);

const AliasesOut = z.array(
  z.strictObject({
    slug: z.string(),
    domain: z.string(),
    short_url: z.string(),
  }),
);

type AlwaysPresent = MemberWith<{ isAlwaysPresent: true }>;

const Social = z
  .strictObject({
    title: displayName(SOCIAL_TITLE_MAX_CHARS).optional().meta({ description: "Defaults to the destination's host." }),
    description: displayName(SOCIAL_DESCRIPTION_MAX_CHARS).optional(),
    // In development, uploaded images have http URLs.
    image: Destination.refine((url) => /^https:/i.test(url) || isLocalImage(url), "must be an https URL")
      .optional()
      .meta({ description: "https URL. The service never fetches it.", examples: ["https://example.com/card.png"] }),
  })
  .meta({ id: "Social", description: "What social networks and messengers show for a link." });

export const MEMBERS_IN = {
  title: Title.nullish().meta({
    description: "Display name, shown in lists. Visitors never see it.",
    examples: ["Spring sale"],
  }),
  tags: Tags.nullish().meta({
    description: `At most ${TAGS_MAX} unique tags. Case does not matter. Returned as sent, in this order.`,
    examples: [["Spring", "print"]],
  }),
  starts_at: TimestampIn.nullish().meta({
    description: "Before `expires_at`. Until then, visitors get 404 or go to `fallback_url`.",
  }),
  fallback_url: Destination.nullish().meta({
    description:
      "Destination before `starts_at`, after `expires_at` and while the link is `paused`, but not of a deleted or disabled link. These visits are not counted. Validated like `url`.",
    examples: ["https://example.com/soon"],
  }),
  forward_query: z.boolean().nullish().meta({
    description: `Whether to add the query parameters of a visit to its destination. Existing parameters are never replaced. \`qr\` is not forwarded.`,
  }),
  forward_path: z.boolean().nullish().meta({
    description:
      "Whether to append what follows the slug to the destination's path: `/docs/a/b` goes to the destination of `docs`, with `/a/b`. Slugs that match more of the path win.",
  }),
  noindex: z.boolean().nullish().meta({
    description: "Whether redirects carry `X-Robots-Tag: noindex`, which keeps the short URL out of search results.",
  }),
  redirect_status: z
    .literal(REDIRECT_STATUSES)
    .nullish()
    .meta({
      description:
        "HTTP status of redirects to `url` and to the destinations of rules. 302 is the default. `fallback_url` always uses 302. No status is cached.",
      examples: [301],
    }),
  paused: z.boolean().nullish().meta({
    description:
      "Whether visitors go to `fallback_url` instead, or get 404 with a page that says that the link is paused. These visits are not counted.",
  }),
  archived: z.boolean().nullish().meta({
    description:
      "Whether lists leave the link out unless `archived` is `true` or `any`. It still redirects and counts.",
  }),
  password: boundedText(LINK_PASSWORD_MAX_CHARS, LINK_PASSWORD_MIN_CHARS).nullish().meta({
    description: "Visitors must enter it. Write-only: Link shows `password_protected`.",
    writeOnly: true,
  }),
  social: Social.nullish().meta({
    description: "Card for link previews. Replaced as a whole; `{}` clears it.",
  }),
  aliases: Aliases.nullish().meta({
    description: `At most ${LINK_ALIASES_MAX} further addresses, by default on the link's domain. Replaced as a whole. Removed ones answer 410, and only this link can have them again.`,
  }),
} satisfies Record<Exclude<LinkMember, AlwaysPresent>, z.ZodType>;

export const MEMBERS_OUT = {
  title: z.string().optional().meta({ description: "Omitted if not set." }),
  tags: z
    .array(z.string())
    .optional()
    .meta({ description: "As sent, in the same order. Omitted if the link has no tags." }),
  starts_at: TimestampOut.optional().meta({ description: "Omitted if the link is open from its creation." }),
  fallback_url: z.string().optional().meta({ description: "Omitted if not set." }),
  forward_query: z.literal(true).optional().meta({ description: "Omitted if false." }),
  forward_path: z.literal(true).optional().meta({ description: "Omitted if false." }),
  noindex: z.literal(true).optional().meta({ description: "Omitted if false." }),
  redirect_status: z.literal(REDIRECT_STATUSES.slice(1)).optional().meta({ description: "Omitted if it is 302." }),
  paused: z.literal(true).optional().meta({ description: "Omitted if false." }),
  archived: z.literal(true).optional().meta({ description: "Omitted if false." }),
  password_protected: z.literal(true).optional().meta({ description: "Present if the link has a password." }),
  social: Social.optional().meta({ description: "Card for link previews. Omitted if not set." }),
  aliases: AliasesOut.optional().meta({
    description: "Omitted if there are none.",
  }),
} satisfies Record<Exclude<ShownMember, AlwaysPresent>, z.ZodType>;

/** A name that people give to a link or code. */
export function displayName(maxChars: number) {
  return boundedText(maxChars).refine((text) => text === "" || text.trim() !== "", "must not be blank");
}

/** Counts length in code points, as JSON Schema does: zod's own bounds count an emoji as two. */
export function boundedText(maxChars: number, minChars = 1) {
  const message = `must have ${minChars} to ${maxChars} characters`;
  return z
    .string()
    .superRefine((text, context) => {
      if (!isLonger(text, minChars - 1)) {
        context.addIssue({ code: "too_small", origin: "string", minimum: minChars, message, input: text });
      } else if (isLonger(text, maxChars)) {
        context.addIssue({ code: "too_big", origin: "string", maximum: maxChars, message, input: text });
      }
    })
    .refine((text) => !/\p{Cc}/u.test(text), "must not contain control characters")
    .refine((text) => text.isWellFormed(), "must be well-formed Unicode")
    .meta({ minLength: minChars, maxLength: maxChars });
}

const schemaFunctions: SchemaFunctions = {
  array: z.array,
  enum: z.enum,
  literal: z.literal,
  number: z.number,
  record: z.record,
  strictObject: z.strictObject,
  string: z.string,
  union: z.union,
};

const conditionShape = Object.fromEntries(
  Object.entries(CONDITIONS).map(([key, { schema, doc }]) => [
    key,
    schema(schemaFunctions).optional().meta({ description: doc }),
  ]),
) as Record<ConditionKey, z.ZodOptional<z.ZodType>>;

/**
 * Zod drops unknown keys before refinements run. Without `when`, a condition with only unknown keys would also be
 * reported as empty.
 */
const NOT_EMPTY = { error: "must not be empty", when: ({ issues }: { issues: unknown[] }) => issues.length === 0 };

const PlainCondition = z
  .strictObject(conditionShape)
  .refine((value) => Object.keys(value).length > 0, NOT_EMPTY)
  .meta({ id: "PlainCondition", minProperties: 1, description: "Same as `Condition`, without `not`." });

export const Condition = z
  .strictObject({
    ...conditionShape,
    not: PlainCondition.optional().meta({
      description: "Matches if not all of these conditions match. Cannot contain another `not`.",
    }),
  })
  .refine((value) => Object.keys(value).length > 0, NOT_EMPTY)
  .meta({
    id: "Condition",
    minProperties: 1,
    description:
      "All conditions must match. A value can be a list, any item of which can match. An unknown fact matches no condition.",
    examples: [{ country: ["DE", "AT"], device: "mobile" }],
  }) as unknown as z.ZodType<RuleCondition>;

export const RoutingRule = z.strictObject({ if: Condition, to: Destination }).meta({
  id: "RoutingRule",
  description: "Destination of visitors who match the conditions.",
  examples: [{ if: { country: "DE" }, to: "https://example.com/de" }],
});

export const Routing = z
  .array(RoutingRule)
  .max(RULES_MAX, `must have at most ${RULES_MAX} rules`)
  .meta({ description: "Rules in order. The first match wins. Requires the Premium plan unless empty." });
