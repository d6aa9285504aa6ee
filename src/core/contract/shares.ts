/** Shared pages: read-only statistics of a link or a tag at an unguessable URL. Only the dashboard creates them. */
import * as z from "zod";

import { SHARE_GROUPINGS } from "../clicks/counting/shared-stats.ts";
import { SHARE_GROUPINGS_MAX, SHARE_NAME_MAX_CHARS, TAG_MAX_CHARS } from "../limits.ts";
import { isTimeZone } from "../time.ts";
import { trimmedText } from "./dashboard.ts";
import { boundedText } from "./link-members.ts";
import { TimestampIn } from "./primitives.ts";
import { Stats } from "./stats.ts";

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
