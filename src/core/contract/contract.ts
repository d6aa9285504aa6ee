/**
 * Every shape on the wire, once, as zod: validation, types, OpenAPI and the dashboard's client follow from here.
 * Limits are in `limits.ts`. What a schema alone cannot judge (the clock, our own domains, rules against each
 * other) is in `link-validation.ts`. Never imported by the redirect, which needs no zod.
 */
import { z } from "zod";

import { type ConditionKey, CONDITIONS } from "../links/conditions.ts";
import { parseDomainName } from "../domains/domain-name.ts";
import { DOMAIN_STATUSES, RECORD_STATUSES } from "../domains/domain-verification.ts";
import { ERRORS } from "../errors.ts";
import { BUCKETS_MAX, GROUPINGS, INTERVALS } from "../clicks/groupings.ts";
import { RESERVED_SEGMENTS } from "../hosts.ts";
import {
  BULK_LINKS_MAX,
  figure,
  PAGE_CLICKS_MAX,
  PAGE_DOMAINS_MAX,
  PAGE_LINKS_MAX,
  RULES_MAX,
  SLUG_MAX_CHARS,
  URL_MAX_CHARS,
} from "../limits.ts";
import { CONTRAST_MIN } from "../qr/contrast.ts";
import {
  LOGO_MAX_BYTES,
  QR_MARGIN_MAX_MODULES,
  QR_SIZE_DEFAULT_PX,
  QR_SIZE_MAX_PX,
  QR_SIZE_MIN_PX,
  QUIET_ZONE_MODULES,
} from "../qr/limits.ts";
import type { RuleCondition } from "../links/routing.ts";
import { timestampSchema } from "../timestamp.ts";
import { isTimeZone } from "../time-zone.ts";
import { hasOverlongHost } from "../untrusted-url.ts";
import { BROWSERS, DEVICES, OSES } from "../visitors/user-agent.ts";
import { CLICK_CLASSES } from "../visitors/visitor.ts";

const QR_FORMATS = ["png", "svg"] as const;

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
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(text)) return "must begin with http:// or https://";
  if (hasOverlongHost(text)) return "must have a host that DNS allows, of at most 253 characters";
  const url = URL.parse(text);
  if (!url) return "must be an absolute URL such as https://example.com/";
  // URL parsers also find a host behind one slash, three or a backslash; others that read the same text do not.
  if (!/^https?:\/\/[^/\\]/i.test(text)) return "must have a host after http:// or https://";
  // In https://a.example\@b.example/ browsers find the host a.example, readers of RFC 3986 b.example.
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? "";
  if (authority.includes("\\")) return "must not have a backslash in its host";
  if (authority.includes("@")) return "must not contain a user name or password";
  return null;
}

const conditionShape = Object.fromEntries(
  Object.entries(CONDITIONS).map(([key, { schema, doc }]) => [key, schema(z).optional().meta({ description: doc })]),
) as Record<ConditionKey, z.ZodOptional<z.ZodType>>;

/** Keys that are not known are not in the value: a condition of such keys alone is wrong, not empty. */
const NOT_EMPTY = { error: "must not be empty", when: ({ issues }: { issues: unknown[] }) => issues.length === 0 };

const PlainCondition = z
  .strictObject(conditionShape)
  .refine((value) => Object.keys(value).length > 0, NOT_EMPTY)
  .meta({ id: "PlainCondition", description: "The same as a `Condition`, without `not`." });

export const Condition = z
  .strictObject({
    ...conditionShape,
    not: PlainCondition.optional().meta({
      description: "Holds when not all of these conditions hold. May not hold another `not`.",
    }),
  })
  .refine((value) => Object.keys(value).length > 0, NOT_EMPTY)
  .meta({
    id: "Condition",
    description:
      "All conditions must hold. A value may be one or a list of which any may match. An unknown fact meets no condition.",
    examples: [{ country: ["DE", "AT"], device: "mobile" }],
  }) as unknown as z.ZodType<RuleCondition>;

const RoutingRule = z.strictObject({ if: Condition, to: Destination }).meta({
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

export const LinkId = z.string().meta({ description: "Id of the link.", examples: ["lnk_01kajm2t4g8q5v7w9x3y6z1a2b"] });

const LINK_EXAMPLE = {
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
    slug: z.string().meta({ description: "Path of the short URL, as it was typed or made up." }),
    domain: z.string().meta({ description: "Host name of the short domain." }),
    short_url: z.string().meta({ description: "What visitors open, made of domain and slug." }),
    url: z.string().meta({ description: "Destination when no rule matches." }),
    routing: z.array(RoutingRule).meta({ description: "Rules in order; the first that matches wins." }),
    expires_at: TimestampOut.nullable().meta({ description: "From this instant on visitors get 410. Null: never." }),
    created_at: TimestampOut,
    updated_at: TimestampOut.meta({ description: "Grows with every change." }),
  })
  .meta({
    id: "Link",
    description: "A short URL and where it leads.",
    examples: [LINK_EXAMPLE],
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

export const TakeOverLink = CreateLink.omit({ slug: true, domain: true }).meta({
  id: "TakeOverLink",
  description: "The new link of the address. Its slug is the old one's.",
  examples: [{ url: "https://example.com/spring" }],
});
export type TakeOverLink = z.infer<typeof TakeOverLink>;

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
  code: z.string().meta({ description: "What is wrong with it, for programs: `required`, `unknown_field` …" }),
  message: z.string().meta({ description: "What is wrong with it, for people." }),
});

const ErrorDetail = z
  .strictObject({
    code: z.enum(Object.keys(ERRORS)).meta({ description: "What went wrong, for programs. New codes may be added." }),
    message: z.string().meta({ description: "What was wrong and what is allowed, for people." }),
    param: z.string().optional().meta({ description: "The field, parameter, header or scope at fault." }),
    errors: z.array(ProblemSchema).optional().meta({ description: "Every problem found." }),
  })
  .meta({
    id: "ErrorDetail",
    description: "Why one link of a bulk request was refused.",
    examples: [{ code: "slug_taken", message: "The slug spring is taken on localhost:8787", param: "slug" }],
  });

export const ErrorBody = z
  .strictObject({
    error: z.strictObject({
      ...ErrorDetail.shape,
      request_id: z
        .string()
        .meta({ description: "The same as the header `X-Request-Id`. Quote it when you ask for help." }),
      doc_url: z.string().meta({ description: "Where this code is explained." }),
    }),
  })
  .meta({
    id: "Error",
    description: "The one shape of every error.",
    examples: [
      {
        error: {
          code: "validation_failed",
          message: "url is required (and 1 more, see errors)",
          param: "url",
          errors: [
            { path: "url", code: "required", message: "url is required" },
            { path: "colour", code: "unknown_field", message: "colour is not known here" },
          ],
          request_id: "req_01kajm2t4g8q5v7w9x3y6z1a2b",
          doc_url: "http://localhost:8787/docs/errors#validation_failed",
        },
      },
    ],
  });
export type ErrorBody = z.infer<typeof ErrorBody>;

export const BulkResult = z
  .strictObject({
    results: z
      .array(z.union([z.strictObject({ link: Link }), z.strictObject({ error: ErrorDetail })]))
      .meta({ description: "One for each link sent, in their order." }),
  })
  .meta({
    id: "BulkResult",
    examples: [
      {
        results: [
          { link: LINK_EXAMPLE },
          { error: { code: "slug_taken", message: "The slug b is taken on localhost:8787", param: "slug" } },
        ],
      },
    ],
  });
export type BulkResult = z.infer<typeof BulkResult>;

/** How many a page may have at most, as asked for. */
function pageLimit(most: number, of: string) {
  return z.coerce
    .number()
    .int()
    .min(1)
    .max(most)
    .default(20)
    .meta({ description: `Most ${of} on the page.`, examples: [20] });
}

const NextCursor = z.string().nullable().meta({ description: "`cursor` of the next request; null on the last page." });

export const ListLinksQuery = z.strictObject({
  limit: pageLimit(PAGE_LINKS_MAX, "links"),
  cursor: z
    .string()
    .regex(/^lnk_[0-9a-z]{26}$/, "must be the next_cursor of an earlier page")
    .optional()
    .meta({ description: "`next_cursor` of the page before." }),
  search: z.string().min(1).max(200).optional().meta({ description: "Part of the slug or the url, in any case." }),
  domain: z.string().min(1).max(260).optional().meta({ description: "Only links on this short domain." }),
  status: z.enum(["active", "expired"]).optional().meta({ description: "Only links that lead on, or have expired." }),
  sort: z
    .enum(["created_at", "-created_at"])
    .default("-created_at")
    .meta({ description: "Oldest first, or with `-` newest first." }),
});
export type ListLinksQuery = z.infer<typeof ListLinksQuery>;

export const LinkPage = z
  .strictObject({
    data: z.array(Link).meta({ description: "May be shorter than `limit`, or empty, also when more follow." }),
    has_more: z.boolean().meta({ description: "Whether there is another page, which may turn out to be empty." }),
    next_cursor: NextCursor,
  })
  .meta({ id: "LinkPage", examples: [{ data: [LINK_EXAMPLE], has_more: false, next_cursor: null }] });
export type LinkPage = z.infer<typeof LinkPage>;

const OneOrManyText = z.union([z.string(), z.array(z.string())]);

export const SimulatedVisitor = z
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
export type SimulatedVisitor = z.infer<typeof SimulatedVisitor>;

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

export const DeleteLinkQuery = z.strictObject({
  erase: z.enum(["true", "false"]).default("false").meta({ description: "Whether the link's clicks are erased too." }),
});

const IncludeBots = z
  .enum(["true", "false"])
  .default("false")
  .meta({ description: "Adds declared bots and prefetches to people." });

export const StatsQuery = z.strictObject({
  group_by: z
    .enum(GROUPINGS)
    .default("country")
    .meta({ description: "What the buckets stand for.", examples: ["country"] }),
  from: TimestampIn.optional().meta({ description: "First instant counted; the link's `created_at` when omitted." }),
  to: TimestampIn.optional().meta({ description: "First instant not counted; now when omitted." }),
  interval: z
    .enum(INTERVALS)
    .optional()
    .meta({ description: "Asks for a series. Weeks begin on Monday.", examples: ["day"] }),
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
    buckets: z.array(z.strictObject({ key: z.string(), clicks: z.int() })).meta({
      description: `By clicks, most first, then by key. After ${figure(BUCKETS_MAX)} the rest is added up as \`other\`.`,
    }),
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
    .meta({ description: "Sequence number of the last click already seen.", examples: [0] }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(PAGE_CLICKS_MAX)
    .default(100)
    .meta({ description: "Most clicks on the page." }),
});

const CLICK_EXAMPLE = {
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
};

const Click = z
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
    examples: [CLICK_EXAMPLE],
  });
export type Click = z.infer<typeof Click>;

export const ClickPage = z
  .strictObject({
    data: z.array(Click),
    has_more: z.boolean(),
    next_after: z.int().meta({ description: "`after` of the next request, also when this page is empty." }),
  })
  .meta({ id: "ClickPage", examples: [{ data: [CLICK_EXAMPLE], has_more: false, next_after: 1 }] });
export type ClickPage = z.infer<typeof ClickPage>;

/** A longer cursor cannot be one of ours. */
const CURSOR_MAX_CHARS = 200;

export const StreamQuery = z.strictObject({
  link_id: z.string().optional().meta({ description: "Only clicks on this link. All of your links when omitted." }),
  since: z
    .string()
    .min(1)
    .max(CURSOR_MAX_CHARS)
    .optional()
    .meta({ description: "The `id` of the last event received: the stream goes on after it. `Last-Event-ID` wins." }),
  include_bots: IncludeBots,
});
export type StreamQuery = z.infer<typeof StreamQuery>;

export const ClickEvent = z
  .strictObject({
    id: z.string().meta({ description: "Names this click for ever, also when it is sent again." }),
    type: z.literal("click"),
    occurred_at: TimestampOut,
    link_id: LinkId,
    slug: z.string(),
    domain: z.string(),
    short_url: z.string(),
    destination: z.string().meta({ description: "Where this visitor was sent." }),
    rule: z.string().meta({ description: "Canonical text of the rule that matched, or `default`." }),
    country: z.string(),
    device: z.string(),
    referrer: z.string(),
    source: z.string().meta({ description: "`qr` when a QR code of the link was scanned, else `link`." }),
    qr_id: z.string().nullable().meta({ description: "The code that was scanned." }),
  })
  .meta({
    id: "ClickEvent",
    description:
      "The `data` of each `click` event, as one line of JSON. The words are the keys of the statistics: events added up are the buckets.",
    examples: [
      {
        id: "evt_01kajm2t4g8q5v7w9x3y6z1a2b00000001",
        type: "click",
        occurred_at: "2026-11-21T09:10:00.000Z",
        link_id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b",
        slug: "spring",
        domain: "localhost:8787",
        short_url: "http://localhost:8787/spring",
        destination: "https://example.com/de",
        rule: "country=DE",
        country: "DE",
        device: "mobile",
        referrer: "direct",
        source: "link",
        qr_id: null,
      },
    ],
  });
export type ClickEvent = z.infer<typeof ClickEvent>;

const Color = z.string().regex(/^#[0-9A-Fa-f]{6}$/, "must be # and six hex digits, as #1A2B3C");

/** As it is sent. The API reads the image in it (`api/qr/routes.ts`). */
const Logo = z.string().meta({
  description: `A data URI with a PNG, a JPEG or an SVG of plain shapes, at most ${LOGO_MAX_BYTES / 1024} KiB. It is drawn in the middle, and \`ecc\` is \`H\`.`,
});

const QR_SIZE_MESSAGE = `must be ${QR_SIZE_MIN_PX} to ${QR_SIZE_MAX_PX} pixels`;
const QR_MARGIN_MESSAGE = `must be 0 to ${QR_MARGIN_MAX_MODULES} modules`;

export const CreateQrCode = z
  .strictObject({
    link_id: LinkId,
    format: z.enum(QR_FORMATS).default("png").meta({ description: "The kind of image." }),
    size: z
      .int()
      .min(QR_SIZE_MIN_PX, QR_SIZE_MESSAGE)
      .max(QR_SIZE_MAX_PX, QR_SIZE_MESSAGE)
      .default(QR_SIZE_DEFAULT_PX)
      .meta({ description: "Width and height in pixels." }),
    fg: Color.default("#000000").meta({ description: "Colour of the dark modules." }),
    bg: Color.default("#FFFFFF").meta({
      description: `Colour behind them. The contrast must be at least ${CONTRAST_MIN}:1.`,
    }),
    margin: z
      .int()
      .min(0, QR_MARGIN_MESSAGE)
      .max(QR_MARGIN_MAX_MODULES, QR_MARGIN_MESSAGE)
      .default(QUIET_ZONE_MODULES)
      .meta({
        description: `Least margin in modules. Codes with less than ${QUIET_ZONE_MODULES} need a margin where they are printed.`,
      }),
    ecc: z
      .enum(["L", "M", "Q", "H"])
      .default("M")
      .meta({ description: "How much of the code may be damaged: about 7, 15, 25 or 30 percent." }),
    logo: Logo.optional(),
  })
  .meta({
    id: "CreateQrCode",
    examples: [{ link_id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b", format: "svg", size: 1024, fg: "#1A2B3C" }],
  });
export type CreateQrCode = z.output<typeof CreateQrCode>;

export const QrId = z.string().meta({ description: "Id of the code.", examples: ["qr_01kajm2t4g8q5v7w9x3y6z1a2b"] });

export const QrCode = z
  .strictObject({
    id: QrId,
    link_id: LinkId,
    format: z.enum(QR_FORMATS),
    size: z.int().meta({ description: "Width and height in pixels." }),
    fg: z.string().meta({ description: "Colour of the dark modules, in upper case." }),
    bg: z.string().meta({ description: "Colour behind them, in upper case." }),
    url: z.string().meta({ description: "Where the image is. It never changes and is never taken away." }),
    scans: z.int().meta({ description: "How often people scanned this code." }),
    created_at: TimestampOut,
  })
  .meta({
    id: "QrCode",
    description: "An image that leads to a link. Scans of each code are counted for themselves.",
    examples: [
      {
        id: "qr_01kajm2t4g8q5v7w9x3y6z1a2b",
        link_id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b",
        format: "svg",
        size: 1024,
        fg: "#1A2B3C",
        bg: "#FFFFFF",
        url: "http://localhost:8787/cdn/qr_01kajm2t4g8q5v7w9x3y6z1a2b.svg",
        scans: 0,
        created_at: "2026-11-21T09:00:00.000Z",
      },
    ],
  });
export type QrCode = z.infer<typeof QrCode>;

const DomainName = z
  .string()
  .superRefine((text, context) => {
    const read = parseDomainName(text);
    if ("fault" in read) context.addIssue({ code: "custom", message: read.fault });
  })
  .meta({
    description:
      "A host name that is yours, such as `go.example.com`. International names may be sent in Unicode; they come back as A-labels.",
    examples: ["go.example.com"],
  });

export const DomainId = z
  .string()
  .meta({ description: "Id of the domain.", examples: ["dom_01kajm2t4g8q5v7w9x3y6z1a2b"] });

export const CreateDomain = z
  .strictObject({ domain: DomainName })
  .meta({ id: "CreateDomain", examples: [{ domain: "go.example.com" }] });

export const UpdateDomain = z
  .strictObject({
    root_url: Destination.nullable()
      .optional()
      .meta({ description: "Where visitors of the bare domain go; `null` gives them a 404 page." }),
    not_found_url: Destination.nullable()
      .optional()
      .meta({ description: "Where visitors go whose slug does not exist; `null` gives them a 404 page." }),
  })
  .meta({
    id: "UpdateDomain",
    description: "Fields left out stay as they are. Every isolate serves the change within ten seconds.",
    examples: [{ root_url: "https://example.com/" }],
  });
export type UpdateDomain = z.infer<typeof UpdateDomain>;

const DOMAIN_EXAMPLE = {
  id: "dom_01kajm2t4g8q5v7w9x3y6z1a2b",
  domain: "go.example.com",
  status: "pending",
  records: [
    { type: "CNAME", name: "go.example.com", value: "hop.example.net", status: "active", reason: null },
    {
      type: "TXT",
      name: "_hoplink-verify.go.example.com",
      value: "4q8zt3n0w5c1y7k2m6p9r4s8v3x1b5dg",
      status: "missing",
      reason: "_hoplink-verify.go.example.com does not exist in DNS (NXDOMAIN).",
    },
  ],
  root_url: null,
  not_found_url: null,
  checked_at: "2026-11-21T09:05:00.000Z",
  created_at: "2026-11-21T09:00:00.000Z",
};

export const Domain = z
  .strictObject({
    id: DomainId,
    domain: z.string().meta({ description: "The host name, as A-labels in lower case." }),
    status: z.enum(DOMAIN_STATUSES).meta({
      description:
        "`pending` until every record was right once, then `active`, and `misconfigured` while one is wrong. Only active domains take new links.",
    }),
    records: z
      .array(
        z.strictObject({
          type: z.enum(["CNAME", "TXT", "CERTIFICATE"]).meta({
            description: "What to set in DNS; the certificate is the service's own work and only shown.",
          }),
          name: z.string(),
          value: z
            .string()
            .nullable()
            .meta({ description: "What the record must say; null where there is nothing to set." }),
          status: z.enum(RECORD_STATUSES).meta({
            description:
              "`missing` and `failed` are faults; `unknown` could not be asked just now and changes nothing.",
          }),
          reason: z.string().nullable().meta({ description: "What was found, for people." }),
        }),
      )
      .meta({ description: "Everything that the domain needs, with what the last check found." }),
    root_url: z.string().nullable().meta({ description: "Where visitors of the bare domain go." }),
    not_found_url: z.string().nullable().meta({ description: "Where visitors go whose slug does not exist." }),
    checked_at: TimestampOut.nullable().meta({ description: "When the records were last checked; null: not yet." }),
    created_at: TimestampOut,
  })
  .meta({ id: "Domain", description: "A short domain of your own.", examples: [DOMAIN_EXAMPLE] });
export type Domain = z.infer<typeof Domain>;

export const ListDomainsQuery = z.strictObject({
  limit: pageLimit(PAGE_DOMAINS_MAX, "domains"),
  cursor: z
    .string()
    .regex(/^dom_[0-9a-z]{26}$/, "must be the next_cursor of an earlier page")
    .optional()
    .meta({ description: "`next_cursor` of the page before." }),
});
export type ListDomainsQuery = z.infer<typeof ListDomainsQuery>;

export const DomainPage = z
  .strictObject({
    data: z.array(Domain),
    has_more: z.boolean(),
    next_cursor: NextCursor,
  })
  .meta({ id: "DomainPage", examples: [{ data: [DOMAIN_EXAMPLE], has_more: false, next_cursor: null }] });

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
    state: z
      .enum(["active", "expired", "disabled", "deleted"])
      .meta({ description: "Visitors of all but active ones get 410." }),
    created_at: TimestampOut,
  })
  .meta({
    id: "InheritedLink",
    description:
      "A link on your domain that its former holder made. Where it leads and who clicked it is theirs alone.",
    examples: [INHERITED_LINK_EXAMPLE],
  });
export type InheritedLink = z.infer<typeof InheritedLink>;

export const SlugInPath = z.string().meta({ description: "Slug of the link, in any case.", examples: ["spring"] });

export const ListInheritedLinksQuery = z.strictObject({
  limit: pageLimit(PAGE_LINKS_MAX, "links"),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be the next_cursor of an earlier page")
    .optional()
    .meta({ description: "`next_cursor` of the page before." }),
});
export type ListInheritedLinksQuery = z.infer<typeof ListInheritedLinksQuery>;

export const InheritedLinkPage = z
  .strictObject({
    data: z.array(InheritedLink),
    has_more: z.boolean(),
    next_cursor: NextCursor,
  })
  .meta({
    id: "InheritedLinkPage",
    description: "A page may be shorter than `limit`, or empty, although `has_more` is true.",
    examples: [{ data: [INHERITED_LINK_EXAMPLE], has_more: false, next_cursor: null }],
  });
export type InheritedLinkPage = z.infer<typeof InheritedLinkPage>;
