/**
 * Schemas of requests and responses that only the dashboard uses: the account, its keys, the deployment's features, and
 * shared pages.
 */
import * as z from "zod";

import { MODES, SCOPES, SETUP_CHECK_EMAIL } from "../account.ts";
import { SHARE_GROUPINGS } from "../clicks/counting/shared-stats.ts";
import { RESET_KINDS } from "../identifiers.ts";
import { OPTIONAL_PARTS } from "../deployment/deployment-problems.ts";
import {
  BULK_LINKS_MAX,
  LINK_NOTE_MAX_CHARS,
  NAME_MAX_CHARS,
  PASSWORD_MAX_CHARS,
  PASSWORD_MIN_CHARS,
  SAVED_VIEW_MAX_BYTES,
  SAVED_VIEW_NAME_MAX_CHARS,
  SETUP_TOKEN_MAX_CHARS,
  SHARE_GROUPINGS_MAX,
  SHARE_NAME_MAX_CHARS,
  TAG_MAX_CHARS,
  UTM_QUERY_MAX_BYTES,
  UTM_TEMPLATE_NAME_MAX_CHARS,
  UTM_VALUE_MAX_CHARS,
} from "../limits.ts";
import type { LinkOrigin } from "../links/link-snapshot.ts";
import { utmQuery } from "../links/utm-parameters.ts";
import { isTimeZone } from "../time.ts";
import { UTM_PARAMETERS, type UtmParameter } from "../visitors/utm.ts";
import type { ErrorDetail } from "./errors.ts";
import { boundedText } from "./link-members.ts";
import type { Link } from "./links.ts";
import { Destination, TimestampIn } from "./primitives.ts";
import { Stats } from "./stats.ts";

const KEY_NAME_MAX_CHARS = 100;
/** The longest SMTP path (RFC 5321, 4.5.3.1.3) without its angle brackets. */
export const EMAIL_MAX_CHARS = 254;
/** A code of an authenticator app, or a recovery code, with spaces. */
export const CODE_MAX_CHARS = 40;

const Timestamp = z.iso.datetime({ precision: 3 });

export const AccountInfo = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  plan: z.enum(["free", "premium"]),
  /** Whether the account can see the operator's page. */
  is_operator: z.boolean(),
  /** What the deployment lacks. Only for operators. */
  missing_parts: z.array(z.enum(OPTIONAL_PARTS)).optional(),
  created_at: Timestamp,
});
export type AccountInfo = z.infer<typeof AccountInfo>;

const Password = z.string().max(1_000).optional();

const NewPassword = z
  .string()
  .min(PASSWORD_MIN_CHARS)
  .max(PASSWORD_MAX_CHARS)
  .refine((password) => password.trim() !== "", "must not consist only of whitespace");

const Email = z
  .email("must be an email address")
  .max(EMAIL_MAX_CHARS)
  .refine((email) => email.toLowerCase() !== SETUP_CHECK_EMAIL, "is reserved");

/**
 * `password` re-authenticates the account holder. An account without a password needs a sign-in within the last day
 * instead.
 */
export const Reauthenticate = z.strictObject({ password: Password });

/** Changes the account's sign-in name. Requires a re-authentication. */
export const ChangeEmail = z.strictObject({ email: Email, password: Password });

/** An authenticator app that the browser has set up: its secret as hex, and a code that it shows. */
export const EnableTotp = z.strictObject({
  secret: z.string().regex(/^[\da-f]{40}$/, "must be 40 hexadecimal digits"),
  code: z.string().trim().max(CODE_MAX_CHARS),
  password: Password,
});

export const TotpInfo = z.strictObject({ enabled_at: Timestamp, recovery_codes_left: z.int() });
export type TotpInfo = z.infer<typeof TotpInfo>;

/** How the account is protected. */
export const AccountSecurity = z.strictObject({ totp: TotpInfo.nullable() });
export type AccountSecurity = z.infer<typeof AccountSecurity>;

/** Each works once. No other response contains them. */
export const RecoveryCodes = z.strictObject({ recovery_codes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;

/** The token for creating the first account: of the one-time URL, or `FIRST_ACCOUNT_TOKEN`. */
export const CheckSetupToken = z.strictObject({ token: z.string().max(SETUP_TOKEN_MAX_CHARS) });

/** What a one-time link of the operator resets. */
export const ResetInfo = z.strictObject({ kind: z.enum(RESET_KINDS), email: z.string() });
export type ResetInfo = z.infer<typeof ResetInfo>;

/** The first account. Sign-up's rules apply. */
export const CreateFirstAccount = CheckSetupToken.extend({
  email: Email,
  name: z.string().trim().max(NAME_MAX_CHARS).default(""),
  password: NewPassword,
});

/** Uses the link. It requires a password if it resets the password. */
export const UseReset = CheckSetupToken.extend({ password: NewPassword.optional() });

export const CreateKey = z.strictObject({
  name: z.string().trim().min(1, "must not be empty").max(KEY_NAME_MAX_CHARS),
  mode: z.enum(MODES),
  scopes: z
    .array(z.enum(SCOPES))
    .max(SCOPES.length, "must name each scope once")
    .min(1, "must name at least one scope")
    .refine((scopes) => new Set(scopes).size === scopes.length, "must name each scope once")
    .default([...SCOPES]),
});

export const KeyInfo = z.strictObject({
  id: z.string(),
  name: z.string(),
  mode: z.enum(MODES),
  scopes: z.array(z.enum(SCOPES)),
  last_four: z.string(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
  /** When the key was first sent over plain HTTP, where others could have read it. */
  exposed_at: Timestamp.nullable(),
});
export type KeyInfo = z.infer<typeof KeyInfo>;

export const KeyList = z.strictObject({ data: z.array(KeyInfo) });
export type KeyList = z.infer<typeof KeyList>;

/** The key's text is returned only when the key is created. */
export const CreatedKey = KeyInfo.extend({ key: z.string() });
export type CreatedKey = z.infer<typeof CreatedKey>;

export const DashboardConfig = z.strictObject({
  signups: z.enum(["open", "closed"]),
  providers: z.array(z.enum(["github", "google"])),
  passkeys: z.boolean(),
  /** False until the first account is created. The sign-in page explains how. */
  has_accounts: z.boolean(),
  short_domains: z.strictObject({ live: z.string(), test: z.string() }),
});
export type DashboardConfig = z.infer<typeof DashboardConfig>;

/** Whether a slug is free on the default domain of the mode; `reason` is shown to the user. */
export const SlugCheck = z.strictObject({ slug: z.string(), available: z.boolean(), reason: z.string().nullable() });
export type SlugCheck = z.infer<typeof SlugCheck>;

/** Preview of a destination, fetched by the service: its title, description and image. */
export const PreviewRequest = z.strictObject({ url: Destination });

const Text = z.string().nullable();

/**
 * The preview that social networks show: Open Graph data, or the page's own title and description. Null if the page has
 * none.
 */
export const PagePreview = z.strictObject({
  /** False if the page could not or must not be fetched: then it is unknown what networks show. */
  fetched: z.boolean(),
  title: Text,
  description: Text,
  site_name: Text,
  /** URL of the page's image, which the dashboard loads through `previews/image`. */
  image: Text,
});
export type PagePreview = z.infer<typeof PagePreview>;

export const PreviewImageQuery = z.strictObject({ url: Destination });

const ViewName = z.string().trim().pipe(boundedText(SAVED_VIEW_NAME_MAX_CHARS));

/** A view of the list of links. `query` is that of its URL, of which the dashboard ignores what it does not know. */
export const SavedView = z.strictObject({
  name: ViewName,
  query: z
    .string()
    .max(SAVED_VIEW_MAX_BYTES)
    .regex(/^[\x21-\x7e]*$/, "must be percent-encoded"),
});
export type SavedView = z.infer<typeof SavedView>;

export const SavedViewName = z.strictObject({ name: ViewName });

export interface SavedViewList {
  data: SavedView[];
}

/** Links to hand over to the API. Each is handed over or refused on its own. */
export const HandOver = z.strictObject({
  links: z
    .array(z.strictObject({ id: z.string() }))
    .min(1)
    .max(BULK_LINKS_MAX),
});

export interface HandOverResult {
  results: ({ id: string; origin: "api" } | { error: z.infer<typeof ErrorDetail> })[];
}

export interface LinkOriginAnswer {
  origin: LinkOrigin;
}

/** A link in the dashboard's list. The client's types do not know that this list replaces that of /v1. */
export type DashboardLink = Link & Partial<LinkOriginAnswer>;

/** A note of the owner about a point in time. */
export const LinkNoteIn = z.strictObject({
  at: TimestampIn,
  text: z.string().trim().pipe(boundedText(LINK_NOTE_MAX_CHARS)),
});
export type LinkNoteIn = z.infer<typeof LinkNoteIn>;

export interface LinkNote extends LinkNoteIn {
  id: string;
}

export interface LinkNoteList {
  data: LinkNote[];
}

/** The notes about all links. */
export interface AccountNoteList {
  data: (LinkNote & { link_id: string })[];
}

const UtmValue = trimmedText(UTM_VALUE_MAX_CHARS).optional();

const UtmValues = Object.fromEntries(UTM_PARAMETERS.map((name) => [name, UtmValue])) as Record<
  UtmParameter,
  typeof UtmValue
>;

/** A new template, or everything about an existing one: parameters that are left out are removed. */
export const UtmTemplateIn = z
  .strictObject({ name: trimmedText(UTM_TEMPLATE_NAME_MAX_CHARS), ...UtmValues })
  .refine((template) => UTM_PARAMETERS.some((parameter) => template[parameter] !== undefined), {
    path: ["utm_source"],
    error: "or another parameter must be given",
  })
  // Percent-encoded, a character has up to twelve bytes: the parameters must leave room for the destination itself.
  .refine((template) => utmQuery(template).length <= UTM_QUERY_MAX_BYTES, {
    path: ["utm_source"],
    error: `and the other parameters must have at most ${UTM_QUERY_MAX_BYTES} bytes when percent-encoded`,
  });
export type UtmTemplateIn = z.infer<typeof UtmTemplateIn>;

export const UtmTemplate = UtmTemplateIn.safeExtend({ id: z.string() });
export type UtmTemplate = z.infer<typeof UtmTemplate>;

export const UtmTemplateList = z.strictObject({ data: z.array(UtmTemplate) });
export type UtmTemplateList = z.infer<typeof UtmTemplateList>;

/** Statistics trim values, so two that differ only in white space around them could not be told apart. */
export function trimmedText(maxChars: number) {
  return z.string().trim().pipe(boundedText(maxChars));
}

/** Shared pages: read-only statistics of a link or a tag at an unguessable URL. Only the dashboard creates them. */
const Day = z.iso
  .date()
  .refine((day) => day >= "2000-01-01", "must be 2000-01-01 or later")
  .nullable();

const SUBJECT = {
  link_id: z.string().max(100).optional(),
  tag: boundedText(TAG_MAX_CHARS).optional(),
};

const SETTINGS = {
  name: trimmedText(SHARE_NAME_MAX_CHARS),
  group_by: z
    .array(z.enum(SHARE_GROUPINGS))
    .max(SHARE_GROUPINGS_MAX)
    .refine((groupings) => new Set(groupings).size === groupings.length, "must not repeat a value"),
  first: Day,
  last: Day,
  timezone: z.string().refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin"),
};

const ONE_SUBJECT = { path: ["link_id"], error: "or tag must be given, not both" };

export const ShareIn = z
  .strictObject({ ...SUBJECT, ...SETTINGS, expires_at: TimestampIn.nullable() })
  .refine(({ link_id, tag }) => (link_id === undefined) !== (tag === undefined), ONE_SUBJECT)
  .refine(({ tag, first }) => tag === undefined || first !== null, {
    path: ["first"],
    error: "must be given for a tag",
  })
  .refine(({ first, last }) => first === null || last === null || first <= last, {
    path: ["last"],
    error: "must not be before first",
  });
export type ShareIn = z.infer<typeof ShareIn>;

export type ShareSettings = z.infer<z.ZodObject<typeof SETTINGS>>;

/** Of all links and tags without either. */
export const ListSharesQuery = z
  .strictObject(SUBJECT)
  .refine(({ link_id, tag }) => link_id === undefined || tag === undefined, ONE_SUBJECT);

/** `url`: null if the deployment's secret was replaced after the page was shared. */
export interface Share extends ShareSettings {
  id: string;
  link_id?: string;
  /** The key of the tag. */
  tag?: string;
  url: string | null;
  created_at: string;
  expires_at: string | null;
}

export const SharedStats = z.strictObject({
  name: z.string(),
  timezone: z.string(),
  last: Day,
  ...Stats.pick({ total: true, interval: true, series: true, from: true, to: true }).shape,
  groups_until: z.string().nullable(),
  groups: z.array(z.strictObject({ group_by: z.enum(SHARE_GROUPINGS), ...Stats.pick({ buckets: true }).shape })),
});
/** Groups are counted up to `groups_until`; null until the range has enough clicks. */
export type SharedStats = z.infer<typeof SharedStats>;
