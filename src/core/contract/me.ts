/** The caller: its account, its key, its limits and their usage. */
import * as z from "zod";

import { MODES, PLANS, SCOPES } from "../account.ts";
import {
  BULK_LINKS_MAX_PER_DAY,
  BULK_LINKS_MAX_PER_MINUTE,
  KEYS_MAX,
  LINKS_CREATED_FACTOR,
  LINKS_MAX,
  REQUESTS_MAX_PER_MINUTE,
  SOCIAL_IMAGES_MAX_BYTES,
} from "../limits.ts";
import { TimestampOut } from "./primitives.ts";

const Quota = z.strictObject({ max: z.int(), used: z.int() }).meta({ id: "Quota" });

const Rate = z
  .strictObject({
    max: z.int().meta({ description: "Limit for this key." }),
    account_max: z.int().meta({ description: "Limit for all keys of the account together." }),
  })
  .meta({ id: "RateLimit" });

const Limits = z.strictObject({
  links: Quota.meta({ description: "Links in both modes, except deleted links." }),
  links_created: Quota.meta({ description: "Links ever created. Deleted links count because they keep their slugs." }),
  keys: Quota.meta({ description: "Keys in this mode, except revoked keys." }),
  domains: Quota.meta({ description: "Domains in this mode." }),
  qr_codes: Quota.meta({ description: "QR codes in both modes." }),
  qr_image_bytes: Quota.meta({ description: "Size of QR code images in bytes." }),
  social_image_bytes: Quota.meta({
    description: "Size of uploaded images of link previews in bytes, including those that await deletion.",
  }),
  idempotency_bytes: Quota.meta({ description: "Bytes of responses stored for `Idempotency-Key` on this UTC day." }),
  requests_per_minute: Rate,
  qr_requests_per_minute: Rate.meta({ description: "Requests that create QR codes." }),
  bulk_links_per_minute: Quota.meta({ description: "Links in bulk requests of all keys in this minute." }),
  bulk_links_per_day: Quota.meta({ description: "Links in bulk requests of all keys on this UTC day." }),
  streams: Rate.meta({ description: "Streams that can be open at the same time." }),
});

export type Limits = z.infer<typeof Limits>;

export const Me = z
  .strictObject({
    account: z.strictObject({
      id: z.string().meta({ description: "ID of the account." }),
      created_at: TimestampOut,
    }),
    plan: z.enum(PLANS),
    mode: z.enum(MODES).meta({ description: "Mode of the key." }),
    scopes: z
      .array(z.enum(SCOPES).meta({ "x-extensible-enum": [...SCOPES] }))
      .meta({ description: "Scopes of the key." }),
    key: z
      .strictObject({
        id: z.string().meta({ description: "The eight characters of the key that identify it." }),
        name: z.string(),
        last_four: z.string().meta({ description: "Last four characters of the key before its checksum." }),
        created_at: TimestampOut,
        exposed_at: TimestampOut.nullable().meta({
          description: "When the key was first sent over plain HTTP, or null. If it is not null, replace the key.",
        }),
      })
      .nullable()
      .meta({ description: "The key of this request, without its secret. Null for a session of the dashboard." }),
    default_domain: z.string().meta({ description: "Short domain of links that are created without `domain`." }),
    limits: Limits.meta({ description: "Limits of the plan, and their usage by the account." }),
  })
  .meta({
    id: "Me",
    description: "The caller: its account, its key and its limits.",
    examples: [
      {
        account: { id: "acc_01kajm2t4g8q5v7w9x3y6z1a2b", created_at: "2026-11-01T09:00:00.000Z" },
        plan: "free",
        mode: "live",
        scopes: [...SCOPES],
        key: {
          id: "Ab3dE6gH",
          name: "Newsletter",
          last_four: "x7Zq",
          created_at: "2026-11-02T09:00:00.000Z",
          exposed_at: null,
        },
        default_domain: "localhost:8787",
        limits: {
          links: { max: LINKS_MAX.free, used: 128 },
          links_created: { max: LINKS_MAX.free * LINKS_CREATED_FACTOR, used: 140 },
          keys: { max: KEYS_MAX, used: 2 },
          domains: { max: 10, used: 1 },
          qr_codes: { max: 10_000, used: 12 },
          qr_image_bytes: { max: 1_000_000_000, used: 48_211 },
          social_image_bytes: { max: SOCIAL_IMAGES_MAX_BYTES.free, used: 182_044 },
          idempotency_bytes: { max: 10_000_000, used: 2_304 },
          requests_per_minute: { max: REQUESTS_MAX_PER_MINUTE.free, account_max: 5 * REQUESTS_MAX_PER_MINUTE.free },
          qr_requests_per_minute: { max: 30, account_max: 150 },
          bulk_links_per_minute: { max: BULK_LINKS_MAX_PER_MINUTE.free, used: 0 },
          bulk_links_per_day: { max: BULK_LINKS_MAX_PER_DAY.free, used: 130 },
          streams: { max: 5, account_max: 25 },
        },
      },
    ],
  });

export type Me = z.infer<typeof Me>;
