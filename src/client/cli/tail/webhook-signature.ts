/** Signs as Standard Webhooks do (https://www.standardwebhooks.com), so that receivers check it with a library. Pure. */
import { createHmac } from "node:crypto";

import { usageFailure } from "../failure.ts";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = { least: 24, most: 64 };
const HOW_TO_MAKE_ONE = 'Make one: echo "whsec_$(openssl rand -base64 32)"';

/** @returns the key in it @throws Failure, which does not show it */
export function webhookKey(secret: string): Buffer {
  const [, encoded = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(encoded, "base64");
  if (key.length >= SECRET_BYTES.least && key.length <= SECRET_BYTES.most) return key;
  const bytes = `${SECRET_BYTES.least} to ${SECRET_BYTES.most} bytes`;
  throw usageFailure(`The secret is not ${SECRET_PREFIX} and ${bytes} in Base64`, HOW_TO_MAKE_ONE);
}

/** @param id  the same for each attempt @param now  epoch ms, of this attempt */
export function webhookHeaders(key: Buffer, id: string, now: number, body: string): Record<string, string> {
  const seconds = String(Math.floor(now / 1_000));
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`,
  };
}
