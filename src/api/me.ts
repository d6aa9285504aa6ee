/** The caller: its identity, and the usage of its limits. */
import { type Limits, Me } from "../core/contract/me.ts";
import {
  ACCOUNT_LIMIT_FACTOR,
  BULK_LINKS_MAX_PER_DAY,
  BULK_LINKS_MAX_PER_MINUTE,
  DOMAINS_MAX,
  KEYS_MAX,
  LINKS_CREATED_FACTOR,
  LINKS_MAX,
  QR_BYTES_MAX,
  QR_CODES_MAX,
  QR_REQUESTS_MAX_PER_MINUTE,
  REQUESTS_MAX_PER_MINUTE,
  SOCIAL_IMAGES_MAX_BYTES,
  STORED_RESPONSES_MAX_BYTES,
  STREAMS_MAX,
} from "../core/limits.ts";
import type { Plan } from "../core/account.ts";
import { linkHost } from "../core/hosts.ts";
import { timestamp, timestampOrNull } from "../core/time.ts";
import { type KeyRecord, readKey } from "../store/accounts/api-keys.ts";
import { readUsage, type Usage } from "../store/accounts/quotas.ts";
import { createHandlers, respondJson } from "./context.ts";
import { access } from "./middleware/access.ts";
import { noQuery } from "./middleware/input.ts";
import type { RouteDoc } from "./openapi/route-doc.ts";

const getMeDoc: RouteDoc = {
  id: "getMe",
  tag: "Account",
  summary: "Retrieve your account",
  description:
    "Returns the account, its plan, the key of this request with its mode and scopes, and the limits with their usage. Works with any key.",
  ok: { status: 200, description: "The account, its key and its limits.", schema: Me },
};

export const getMeRoute = createHandlers(access(null, getMeDoc), noQuery, async (c) => {
  const { caller, hosts } = c.var;
  const { accountId, plan, mode, scopes } = caller;
  const [usage, key] = await Promise.all([
    readUsage(c.env, caller),
    caller.origin === "dashboard" ? null : readKey(c.env, accountId, caller.rateKey),
  ]);
  const body: Me = {
    account: { id: accountId, created_at: timestamp(usage.accountCreatedAt) },
    plan,
    mode,
    scopes: [...scopes],
    key: key && wireKey(key),
    default_domain: linkHost(hosts.shortDomains[mode]),
    limits: wireLimits(plan, usage),
  };
  return respondJson(c, { status: 200, body });
});

function wireKey({ id, name, lastFour, createdAt, exposedAt }: KeyRecord): Me["key"] {
  const times = { created_at: timestamp(createdAt), exposed_at: timestampOrNull(exposedAt) };
  return { id, name, last_four: lastFour, ...times };
}

function wireLimits(plan: Plan, usage: Usage): Limits {
  return {
    links: { max: LINKS_MAX[plan], used: usage.links },
    links_created: { max: LINKS_MAX[plan] * LINKS_CREATED_FACTOR, used: usage.linksCreated },
    keys: { max: KEYS_MAX, used: usage.keys },
    domains: { max: DOMAINS_MAX[plan], used: usage.domains },
    qr_codes: { max: QR_CODES_MAX[plan], used: usage.qrCodes },
    qr_image_bytes: { max: QR_BYTES_MAX[plan], used: usage.qrImageBytes },
    social_image_bytes: { max: SOCIAL_IMAGES_MAX_BYTES[plan], used: usage.socialImageBytes },
    idempotency_bytes: { max: STORED_RESPONSES_MAX_BYTES[plan], used: usage.idempotencyBytes },
    requests_per_minute: keyAndAccount(REQUESTS_MAX_PER_MINUTE[plan]),
    qr_requests_per_minute: keyAndAccount(QR_REQUESTS_MAX_PER_MINUTE[plan]),
    bulk_links_per_minute: { max: BULK_LINKS_MAX_PER_MINUTE[plan], used: usage.bulkLinks.minute },
    bulk_links_per_day: { max: BULK_LINKS_MAX_PER_DAY[plan], used: usage.bulkLinks.day },
    streams: keyAndAccount(STREAMS_MAX[plan]),
  };
}

function keyAndAccount(max: number) {
  return { max, account_max: max * ACCOUNT_LIMIT_FACTOR };
}
