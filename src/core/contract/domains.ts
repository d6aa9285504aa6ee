/**
 * An account's short domains: request bodies and responses, with the DNS records that the owner must set and the
 * findings of the last check. Names are validated by `core/domains/domain-name.ts`.
 */
import * as z from "zod";

import { parseDomainName } from "../domains/domain-name.ts";
import { DOMAIN_STATUSES, RECORD_STATUSES } from "../domains/domain-verification.ts";
import type { WellKnownFile } from "../domains/well-known-files.ts";
import { PAGES_WITH_TEXT, type PageWithText } from "../http/plain-page.ts";
import { readImageHeader } from "../images/image-headers.ts";
import {
  PAGE_DOMAINS_MAX,
  PAGE_LOGO_MAX_BYTES,
  PAGE_NAME_MAX_CHARS,
  PAGE_TEXT_MAX_CHARS,
  WELL_KNOWN_FILE_MAX_BYTES,
  WELL_KNOWN_MAX_BYTES,
} from "../limits.ts";
import { trimmedText } from "./dashboard.ts";
import { Destination, pageQuery, pageShape, TimestampOut } from "./primitives.ts";

const DomainName = z
  .string()
  .superRefine((text, context) => {
    const read = parseDomainName(text);
    if ("fault" in read) context.addIssue({ code: "custom", message: read.fault });
  })
  .meta({
    description:
      "A host name that you own, such as `go.example.com`. International names can be sent in Unicode. They are returned as A-labels.",
    examples: ["go.example.com"],
  });

export const DomainId = z
  .string()
  .meta({ description: "ID of the domain.", examples: ["dom_01kajm2t4g8q5v7w9x3y6z1a2b"] });

const CaseSensitive = z.boolean().meta({
  description:
    "Whether new slugs on the domain are case-sensitive, so that `Ab` and `aB` are different links. Can only be changed before your first link on the domain.",
});

const APPLE_EXAMPLE = {
  applinks: { details: [{ appIDs: ["ABCDE12345.com.example.app"], components: [{ "/": "/app/*" }] }] },
};

/** Stored and served as JSON without white space, with members in the order in which they were sent. */
const WellKnown = z
  .strictObject({
    "apple-app-site-association": z
      .record(z.string(), z.unknown())
      .superRefine(checkFileSize)
      .optional()
      .meta({ description: "The file for apps on Apple's systems." }),
    "assetlinks.json": z
      .array(z.unknown())
      .superRefine(checkFileSize)
      .optional()
      .meta({ description: "The file for Android apps." }),
  } satisfies Record<WellKnownFile, z.ZodType>)
  .meta({ examples: [{ "apple-app-site-association": APPLE_EXAMPLE }] });

function checkFileSize(content: unknown, context: z.RefinementCtx): void {
  const bytes = new TextEncoder().encode(JSON.stringify(content)).length;
  if (bytes <= WELL_KNOWN_FILE_MAX_BYTES) return;
  const message = `must have at most ${WELL_KNOWN_FILE_MAX_BYTES} bytes as JSON without white space`;
  context.addIssue({ code: "custom", message });
}

export const CreateDomain = z
  .strictObject({ domain: DomainName, case_sensitive: CaseSensitive.optional() })
  .meta({ id: "CreateDomain", examples: [{ domain: "go.example.com" }] });

export const UpdateDomain = z
  .strictObject({
    root_url: Destination.nullish().meta({
      description: "Destination of visitors who open the bare domain. If `null`, they see a 404 page.",
    }),
    not_found_url: Destination.nullish().meta({
      description: "Destination of visitors who open an unknown slug. If `null`, they see a 404 page.",
    }),
    expired_url: Destination.nullish().meta({
      description:
        "Destination of visitors who open an expired link that has no `fallback_url`. If `null`, they see a 410 page.",
    }),
    case_sensitive: CaseSensitive.optional(),
    peek: z.boolean().optional().meta({
      description:
        "Whether a `+` after a slug answers with a page that shows where the link leads. If `false`, it is an unknown slug.",
    }),
    well_known: WellKnown.nullish().meta({
      description: `Files with which apps open links of the domain: served at \`/.well-known/apple-app-site-association\` and \`/.well-known/assetlinks.json\`. Replaces both files: an omitted one is removed, and \`null\` removes both. At most ${WELL_KNOWN_FILE_MAX_BYTES / 1024} KiB each, and ${WELL_KNOWN_MAX_BYTES / 1024} KiB for all domains of the account.`,
    }),
  })
  .meta({
    id: "UpdateDomain",
    description: "Omitted fields are unchanged. The change takes effect everywhere within ten seconds.",
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
  expired_url: null,
  checked_at: "2026-11-21T09:05:00.000Z",
  created_at: "2026-11-21T09:00:00.000Z",
};

export const Domain = z
  .strictObject({
    id: DomainId,
    domain: z.string().meta({ description: "Host name, as A-labels in lower case." }),
    status: z.enum(DOMAIN_STATUSES).meta({
      description:
        "`pending` until all records have been correct once, then `active`, or `misconfigured` while a record is wrong. Only active domains accept new links.",
    }),
    records: z
      .array(
        z.strictObject({
          type: z.enum(["CNAME", "TXT", "CERTIFICATE"]).meta({
            description: "DNS record to set. `CERTIFICATE` is managed by the service and only shown.",
          }),
          name: z.string(),
          value: z
            .string()
            .nullable()
            .meta({ description: "Required value of the record. Null if there is nothing to set." }),
          status: z.enum(RECORD_STATUSES).meta({
            description:
              "`missing` and `failed` are problems. `unknown` means that the record could not be checked this time, which has no effect.",
          }),
          reason: z.string().nullable().meta({ description: "Human-readable result of the check." }),
        }),
      )
      .meta({ description: "All records that the domain needs, with the results of the last check." }),
    root_url: z.string().nullable().meta({ description: "Destination of visitors who open the bare domain." }),
    not_found_url: z.string().nullable().meta({ description: "Destination of visitors who open an unknown slug." }),
    expired_url: z
      .string()
      .nullable()
      .meta({ description: "Destination of visitors who open an expired link that has no `fallback_url`." }),
    checked_at: TimestampOut.nullable().meta({ description: "Time of the last check. Null before the first check." }),
    created_at: TimestampOut,
    case_sensitive: z
      .literal(true)
      .optional()
      .meta({ description: "Present if slugs are case-sensitive. Otherwise, they match in any case." }),
    peek: z
      .literal(false)
      .optional()
      .meta({ description: "Present if a `+` after a slug does not show where the link leads." }),
    well_known: WellKnown.optional().meta({ description: "Files for apps. Omitted if there are none." }),
  })
  .meta({ id: "Domain", description: "One of your short domains.", examples: [DOMAIN_EXAMPLE] });

export type Domain = z.infer<typeof Domain>;

export const ListDomainsQuery = z.strictObject(pageQuery(PAGE_DOMAINS_MAX, "domains", /^dom_[0-9a-z]{26}$/));

export type ListDomainsQuery = z.infer<typeof ListDomainsQuery>;

export const DomainPage = z
  .strictObject(pageShape(Domain))
  .meta({ id: "DomainPage", examples: [{ data: [DOMAIN_EXAMPLE], has_more: false, next_cursor: null }] });

export type DomainPage = z.infer<typeof DomainPage>;

const Text = trimmedText(PAGE_TEXT_MAX_CHARS).optional();

const Texts = Object.fromEntries(PAGES_WITH_TEXT.map((page) => [page, Text])) as Record<PageWithText, typeof Text>;

/** Base 64 without line breaks; the bytes are those of the type, so that a browser shows what was checked. */
const LOGO = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/;
const LOGO_MAX_CHARS = Math.ceil((PAGE_LOGO_MAX_BYTES * 4) / 3) + 40;

/**
 * How the pages of a domain look that visitors see instead of a destination. Only the dashboard sets it. Members that
 * are left out are removed.
 */
export const PageDesignIn = z.strictObject({
  name: trimmedText(PAGE_NAME_MAX_CHARS).optional(),
  logo: z
    .string()
    .refine(isLogo, `must be a PNG, JPEG or WebP image of at most ${PAGE_LOGO_MAX_BYTES / 1024} KiB, as a data URI`)
    .optional(),
  ...Texts,
});

function isLogo(text: string): boolean {
  if (text.length > LOGO_MAX_CHARS) return false;
  const [, type, base64 = ""] = LOGO.exec(text) ?? [];
  if (type === undefined || base64.length % 4 !== 0) return false;
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const format = readImageHeader(bytes)?.format;
  return bytes.length <= PAGE_LOGO_MAX_BYTES && (format === "jpg" ? "jpeg" : format) === type;
}
