/**
 * Dry run of a link: the facts of a simulated visit and optional rules in the request, the routing decision in the
 * response.
 */
import * as z from "zod";

import { URL_MAX_CHARS } from "../limits.ts";
import { BROWSERS, DEVICES, OSES } from "../visitors/fact-values.ts";
import { Routing } from "./link-members.ts";
import { TimestampIn } from "./primitives.ts";

/** The most that a URL can hold. */
const QUERY_PARAMETERS_MAX = 200;
const QUERY_MAX_CHARS = URL_MAX_CHARS;

const WORDS_OF_SIZE = `must have at most ${QUERY_PARAMETERS_MAX} parameters, of ${QUERY_MAX_CHARS} characters together`;

/** The list's bound keeps zod from validating each of a hundred thousand items. */
const OneOrManyText = z.union([z.string(), z.array(z.string()).max(QUERY_PARAMETERS_MAX, WORDS_OF_SIZE)]);

function fitsInUrl(query: Record<string, string | string[]>): boolean {
  let [parameters, chars] = [0, 0];
  for (const [name, values] of Object.entries(query)) {
    const list = [values].flat();
    parameters += Math.max(list.length, 1);
    chars += list.reduce((sum, { length }) => sum + length, name.length * Math.max(list.length, 1));
  }
  return parameters <= QUERY_PARAMETERS_MAX && chars <= QUERY_MAX_CHARS;
}

export const SimulatedVisitor = z.strictObject({
  country: z.string().max(2).optional().meta({ description: "ISO 3166-1 alpha-2, such as `DE`." }),
  continent: z.string().max(2).optional().meta({ description: "`AF`, `AN`, `AS`, `EU`, `NA`, `OC` or `SA`." }),
  region: z.string().max(6).optional().meta({ description: "ISO 3166-2, such as `US-TX`." }),
  city: z.string().max(200).optional().meta({ description: "In English, as in statistics." }),
  device: z.enum(DEVICES).optional(),
  os: z.enum(OSES).optional(),
  browser: z.enum(BROWSERS).optional(),
  language: z.string().max(512).optional().meta({ description: "As in `Accept-Language`." }),
  referrer: z.string().max(URL_MAX_CHARS).optional().meta({ description: "URL, as in `Referer`, or host." }),
  query: z
    .record(z.string(), OneOrManyText)
    .refine(fitsInUrl, WORDS_OF_SIZE)
    .optional()
    .meta({
      description: `Parameters of the short URL, including UTM, at most ${QUERY_PARAMETERS_MAX}.`,
      examples: [{ utm_source: "poster" }],
    }),
  path: z
    .string()
    .max(URL_MAX_CHARS)
    .regex(/^\/[^?#]*$/, "must begin with / and must not contain ? or #")
    .optional()
    .meta({ description: "What follows the slug in the path, for `forward_path`.", examples: ["/page"] }),
  source: z.enum(["link", "qr"]).optional().meta({ description: "`qr` for a scan of a QR code." }),
  point: z
    .number()
    .min(0)
    .lt(100)
    .optional()
    .meta({ description: "Position on the scale of `percent`, from 0 to below 100.", examples: [42.5] }),
  at: TimestampIn.optional().meta({ description: "Time of the visit. Defaults to now." }),
});

export type SimulatedVisitor = z.infer<typeof SimulatedVisitor>;

export const ResolveLink = z
  .strictObject({
    ...SimulatedVisitor.shape,
    routing: Routing.optional().meta({
      description:
        "Rules to test instead of the link's rules, on any plan. They are validated like a change of the link, but not stored.",
    }),
  })
  .meta({
    id: "ResolveLink",
    description: "Facts of a visit. Omitted facts are unknown.",
    examples: [{ country: "DE", device: "mobile", language: "de-CH, fr;q=0.8" }],
  });

export type ResolveLink = z.infer<typeof ResolveLink>;

export const Resolution = z
  .strictObject({
    url: z.string().nullable().meta({
      description:
        "Destination of the visitor. If the link is paused, or is expired or not open yet at the time of the visit: `fallback_url`, or null without one. Null with `not_found`.",
    }),
    rule: z.string().nullable().meta({ description: "Canonical text of the rule that matched, or `default`." }),
    trace: z.array(
      z.strictObject({
        rule: z.string(),
        matched: z.boolean(),
        failed_on: z.string().nullable().meta({ description: "The first condition that did not match." }),
      }),
    ),
    not_found: z
      .literal(true)
      .optional()
      .meta({ description: "The link does not forward `path`: its slug is unknown." }),
    expired: z.literal(true).optional().meta({ description: "The link is expired at the time of the visit." }),
    not_open: z.literal(true).optional().meta({ description: "The link is not open yet at the time of the visit." }),
    paused: z.literal(true).optional().meta({ description: "The link is paused." }),
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
