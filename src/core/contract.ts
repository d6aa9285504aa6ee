/**
 * Every shape on the wire, once, as zod: validation, types, OpenAPI and the dashboard's client follow from here.
 * Limits are named constants. What a schema alone cannot judge (the clock, our own domains, rules against each
 * other) is in `link-rules.ts`. Never imported by the redirect, which needs no zod.
 */
import { z } from "zod";

import { type ConditionKey, CONDITIONS } from "./conditions.ts";
import { ERRORS } from "./errors.ts";
import { GROUPINGS, INTERVALS } from "./groupings.ts";
import { RESERVED_SEGMENTS } from "./hosts.ts";
import type { Condition as RuleCondition } from "./routing.ts";
import { timestampSchema } from "./timestamp.ts";
import { isTimeZone } from "./time-zone.ts";
import { BROWSERS, DEVICES, OSES } from "./user-agent.ts";
import { CLICK_CLASSES } from "./visitor.ts";

export const URL_MAX_CHARS = 8_192;
export const SLUG_MAX_CHARS = 64;
export const RULES_MAX = 100;
export const ROUTING_MAX_BYTES = 64 * 1024;
export const BODY_MAX_BYTES = 256 * 1024;
export const BULK_LINKS_MAX = 100;
export const PAGE_LINKS_MAX = 100;
export const PAGE_CLICKS_MAX = 1_000;
export const IDEMPOTENCY_KEY_MAX_CHARS = 255;

export const SCOPES = [
  "links:read",
  "links:write",
  "stats:read",
  "qr:read",
  "qr:write",
  "events:read",
  "domains:read",
  "domains:write",
] as const;
export type Scope = (typeof SCOPES)[number];

const TimestampOut = z.iso
  .datetime({ precision: 3 })
  .meta({ description: "ISO 8601, UTC, with milliseconds.", examples: ["2026-01-31T12:00:00.000Z"] });

const TimestampIn = timestampSchema(z).meta({
  format: "date-time",
  description: "RFC 3339, with an offset or `Z`.",
  examples: ["2026-12-31T23:59:59Z"],
});

const Destination = z
  .string()
  .max(URL_MAX_CHARS, `must have at most ${URL_MAX_CHARS} characters`)
  .superRefine((text, context) => {
    const message = destinationFault(text);
    if (message) context.addIssue({ code: "custom", message });
  })
  .meta({
    description: `http or https, at most ${URL_MAX_CHARS} characters, no user name or password, not one of this service's own short domains. Stored and returned exactly as sent.`,
    examples: ["https://example.com/spring?utm_source=poster"],
  });

/** Why a text cannot be a destination, or null. */
function destinationFault(text: string): string | null {
  // URL parsers drop these silently, so what is stored would not be what is visited.
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f]/.test(text)) return "must not contain spaces or control characters";
  const url = URL.parse(text);
  if (!url) return "must be an absolute URL such as https://example.com/";
  if (url.protocol !== "http:" && url.protocol !== "https:") return "must begin with http:// or https://";
  if (!/^https?:\/\//i.test(text)) return "must have a host after http:// or https://";
  if (url.username || url.password) return "must not contain a user name or password";
  return null;
}

const conditionShape = Object.fromEntries(
  Object.entries(CONDITIONS).map(([key, { schema, doc }]) => [key, schema(z).optional().meta({ description: doc })]),
) as Record<ConditionKey, z.ZodOptional<z.ZodType>>;

const PlainCondition = z
  .strictObject(conditionShape)
  .refine((value) => Object.keys(value).length > 0, "must not be empty");

export const Condition = z
  .strictObject({
    ...conditionShape,
    not: PlainCondition.optional().meta({
      description: "Holds when not all of these conditions hold. May not hold another `not`.",
    }),
  })
  .refine((value) => Object.keys(value).length > 0, "must not be empty")
  .meta({
    id: "Condition",
    description:
      "All conditions must hold. A value may be one or a list of which any may match. An unknown fact meets no condition.",
    examples: [{ country: ["DE", "AT"], device: "mobile" }],
  }) as unknown as z.ZodType<RuleCondition>;

export const RoutingRule = z.strictObject({ if: Condition, to: Destination }).meta({
  id: "RoutingRule",
  description: "Where visitors go who meet the conditions.",
  examples: [{ if: { country: "DE" }, to: "https://example.com/de" }],
});

const Routing = z
  .array(RoutingRule)
  .max(RULES_MAX, `must have at most ${RULES_MAX} rules`)
  .meta({ description: "Rules in order; the first that matches wins. Needs the Premium plan unless empty." });

const Slug = z
  .string()
  .min(1, `must have 1 to ${SLUG_MAX_CHARS} characters`)
  .max(SLUG_MAX_CHARS, `must have 1 to ${SLUG_MAX_CHARS} characters`)
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$/,
    "must be made of A-Z a-z 0-9 - _ and begin and end with a letter or digit",
  )
  .refine((slug) => !RESERVED_SEGMENTS.has(slug.toLowerCase()), "is reserved")
  .meta({
    description:
      "Path of the short URL, unique on its domain without regard to case. Never issued twice, also not after a deletion.",
    examples: ["spring"],
  });

const LinkId = z.string().meta({ description: "Id of the link.", examples: ["lnk_01kajm2t4g8q5v7w9x3y6z1a2b"] });

export const Link = z
  .strictObject({
    id: LinkId,
    slug: z.string(),
    domain: z.string().meta({ description: "Host name of the short domain." }),
    short_url: z.string(),
    url: z.string().meta({ description: "Destination when no rule matches." }),
    routing: z.array(RoutingRule),
    expires_at: TimestampOut.nullable(),
    created_at: TimestampOut,
    updated_at: TimestampOut.meta({ description: "Grows with every change." }),
  })
  .meta({
    id: "Link",
    examples: [
      {
        id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b",
        slug: "spring",
        domain: "localhost:8787",
        short_url: "http://localhost:8787/spring",
        url: "https://example.com/spring",
        routing: [{ if: { country: "DE" }, to: "https://example.com/de" }],
        expires_at: null,
        created_at: "2026-11-21T09:00:00.000Z",
        updated_at: "2026-11-21T09:05:00.000Z",
      },
    ],
  });
export type Link = z.infer<typeof Link>;

export const CreateLink = z
  .strictObject({
    url: Destination,
    slug: Slug.optional(),
    domain: z.string().optional().meta({ description: "One of your active domains; the service's own when omitted." }),
    expires_at: TimestampIn.nullable()
      .optional()
      .meta({ description: "In the future. From this instant on the link answers 410." }),
    routing: Routing.optional(),
  })
  .meta({ id: "CreateLink", examples: [{ url: "https://example.com/spring", slug: "spring" }] });
export type CreateLink = z.infer<typeof CreateLink>;

export const UpdateLink = z
  .strictObject({
    url: Destination.optional(),
    expires_at: TimestampIn.nullable()
      .optional()
      .meta({ description: "`null` clears it; an instant in the past ends the link now." }),
    routing: Routing.optional(),
  })
  .meta({
    id: "UpdateLink",
    description: "Fields left out stay as they are. Slug and domain never change: printed codes must live.",
    examples: [{ routing: [{ if: { country: "DE" }, to: "https://example.com/de" }] }],
  });
export type UpdateLink = z.infer<typeof UpdateLink>;

/** The outer shape alone: each link is judged for itself, so that one bad link does not refuse the others. */
export const BulkEnvelope = z.strictObject({
  links: z
    .array(z.unknown())
    .min(1, `must have 1 to ${BULK_LINKS_MAX} links`)
    .max(BULK_LINKS_MAX, `must have 1 to ${BULK_LINKS_MAX} links`),
});

export const BulkCreate = z.strictObject({ links: z.array(CreateLink).min(1).max(BULK_LINKS_MAX) }).meta({
  id: "BulkCreate",
  examples: [{ links: [{ url: "https://example.com/a" }, { url: "https://example.com/b", slug: "b" }] }],
});

const ProblemSchema = z.strictObject({
  path: z.string().meta({ description: "Dotted path of the field, as `routing.2.if.country`." }),
  code: z.string(),
  message: z.string(),
});

const ErrorDetail = z
  .strictObject({
    code: z.enum(Object.keys(ERRORS)),
    message: z.string(),
    param: z.string().optional().meta({ description: "The field, parameter, header or scope at fault." }),
    errors: z.array(ProblemSchema).optional().meta({ description: "Every problem found." }),
  })
  .meta({
    id: "ErrorDetail",
    examples: [{ code: "slug_taken", message: "The slug spring is taken on localhost:8787", param: "slug" }],
  });

export const ErrorBody = z
  .strictObject({
    error: z.strictObject({
      ...ErrorDetail.shape,
      request_id: z.string(),
      doc_url: z.string(),
    }),
  })
  .meta({ id: "Error" });
export type ErrorBody = z.infer<typeof ErrorBody>;

export const BulkResult = z
  .strictObject({
    results: z
      .array(z.union([z.strictObject({ link: Link }), z.strictObject({ error: ErrorDetail })]))
      .meta({ description: "One for each link sent, in their order." }),
  })
  .meta({ id: "BulkResult" });
export type BulkResult = z.infer<typeof BulkResult>;

export const ListLinksQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(PAGE_LINKS_MAX).default(20),
  cursor: z
    .string()
    .regex(/^lnk_[0-9a-z]{26}$/, "must be the next_cursor of an earlier page")
    .optional()
    .meta({ description: "`next_cursor` of the page before." }),
  search: z.string().min(1).max(200).optional().meta({ description: "Part of the slug or the url, in any case." }),
  domain: z.string().min(1).max(260).optional(),
  status: z.enum(["active", "expired"]).optional(),
  sort: z.enum(["created_at", "-created_at"]).default("-created_at"),
});
export type ListLinksQuery = z.infer<typeof ListLinksQuery>;

export const LinkPage = z
  .strictObject({ data: z.array(Link), has_more: z.boolean(), next_cursor: z.string().nullable() })
  .meta({ id: "LinkPage" });

const OneOrManyText = z.union([z.string(), z.array(z.string())]);

export const PretendVisitor = z
  .strictObject({
    country: z.string().max(2).optional(),
    continent: z.string().max(2).optional(),
    region: z.string().max(6).optional().meta({ description: "ISO 3166-2, as `US-TX`." }),
    city: z.string().max(200).optional(),
    device: z.enum(DEVICES).optional(),
    os: z.enum(OSES).optional(),
    browser: z.enum(BROWSERS).optional(),
    language: z.string().max(512).optional().meta({ description: "As in `Accept-Language`." }),
    referrer: z.string().max(URL_MAX_CHARS).optional().meta({ description: "A URL as in `Referer`, or a host." }),
    query: z.record(z.string(), OneOrManyText).optional(),
    source: z.enum(["link", "qr"]).optional(),
    at: TimestampIn.optional().meta({ description: "When the visit happens; now when omitted." }),
  })
  .meta({
    id: "PretendVisitor",
    description: "Facts of a visit. Those left out are unknown.",
    examples: [{ country: "DE", device: "mobile", language: "de-CH, fr;q=0.8" }],
  });
export type PretendVisitor = z.infer<typeof PretendVisitor>;

export const Resolution = z
  .strictObject({
    url: z
      .string()
      .nullable()
      .meta({ description: "Where the visitor would go; null when the link would be expired." }),
    rule: z.string().nullable().meta({ description: "Canonical text of the rule that matched, or `default`." }),
    trace: z.array(
      z.strictObject({
        rule: z.string(),
        matched: z.boolean(),
        failed_on: z.string().nullable().meta({ description: "The first key that did not hold." }),
      }),
    ),
    expired: z.literal(true).optional(),
  })
  .meta({
    id: "Resolution",
    examples: [
      {
        url: "https://example.com/de",
        rule: "country=DE",
        trace: [
          { rule: "device=tablet", matched: false, failed_on: "device" },
          { rule: "country=DE", matched: true, failed_on: null },
        ],
      },
    ],
  });
export type Resolution = z.infer<typeof Resolution>;

const IncludeBots = z
  .enum(["true", "false"])
  .default("false")
  .meta({ description: "Adds declared bots and prefetches to people." });

export const StatsQuery = z.strictObject({
  group_by: z.enum(GROUPINGS).default("country"),
  from: TimestampIn.optional().meta({ description: "First instant counted; the link's `created_at` when omitted." }),
  to: TimestampIn.optional().meta({ description: "First instant not counted; now when omitted." }),
  interval: z.enum(INTERVALS).optional().meta({ description: "Asks for a series. Weeks begin on Monday." }),
  timezone: z
    .string()
    .refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin")
    .default("UTC")
    .meta({ description: "IANA zone of the series' bins." }),
  include_bots: IncludeBots,
});
export type StatsQuery = z.infer<typeof StatsQuery>;

export const Stats = z
  .strictObject({
    total: z.int(),
    group_by: z.string(),
    buckets: z
      .array(z.strictObject({ key: z.string(), clicks: z.int() }))
      .meta({ description: "By clicks, most first, then by key. After 1,000 the rest is added up as `other`." }),
    interval: z.string().nullable(),
    series: z.array(z.strictObject({ start: TimestampOut, clicks: z.int() })).meta({
      description:
        "One for each interval of the range, zeros included. `start` is where the interval begins by the calendar.",
    }),
    from: TimestampOut,
    to: TimestampOut,
  })
  .meta({
    id: "Stats",
    examples: [
      {
        total: 3,
        group_by: "country",
        buckets: [
          { key: "DE", clicks: 2 },
          { key: "US", clicks: 1 },
        ],
        interval: "day",
        series: [{ start: "2026-11-21T00:00:00.000Z", clicks: 3 }],
        from: "2026-11-21T09:00:00.000Z",
        to: "2026-11-21T18:00:00.000Z",
      },
    ],
  });
export type Stats = z.infer<typeof Stats>;

export const ClicksQuery = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .meta({ description: "Sequence number of the last click already seen." }),
  limit: z.coerce.number().int().min(1).max(PAGE_CLICKS_MAX).default(100),
});

const LoggedClick = z
  .strictObject({
    seq: z.int().meta({ description: "1, 2, 3 … for each link, without gaps." }),
    occurred_at: TimestampOut,
    class: z.enum(CLICK_CLASSES),
    country: z.string(),
    continent: z.string(),
    region: z.string(),
    city: z.string(),
    device: z.string(),
    os: z.string(),
    browser: z.string(),
    language: z.string(),
    referrer: z.string(),
    rule: z.string(),
    destination: z.string(),
    source: z.string(),
    qr_id: z.string().nullable(),
  })
  .meta({
    id: "Click",
    description: "One visit, with the same words as the keys of the statistics.",
    examples: [
      {
        seq: 1,
        occurred_at: "2026-11-21T09:10:00.000Z",
        class: "human",
        country: "DE",
        continent: "EU",
        region: "DE-BE",
        city: "Berlin",
        device: "mobile",
        os: "ios",
        browser: "safari",
        language: "de-DE",
        referrer: "direct",
        rule: "country=DE",
        destination: "https://example.com/de",
        source: "link",
        qr_id: null,
      },
    ],
  });
export type LoggedClick = z.infer<typeof LoggedClick>;

export const ClickPage = z
  .strictObject({
    data: z.array(LoggedClick),
    has_more: z.boolean(),
    next_after: z.int().meta({ description: "`after` of the next request, also when this page is empty." }),
  })
  .meta({ id: "ClickPage" });
