/** Posts events to a receiver, retrying each until it is accepted. */
import { createHmac } from "node:crypto";

import { backoffMs } from "../../../core/retries.ts";
import { boundedWaitMs, retryAfterMs } from "../../retries.ts";
import { Deadline, sleep } from "../../waiting.ts";
import { Failure, usageFailure } from "../errors.ts";

/** Time limit of one attempt, as Standard Webhooks recommends. */
const TIMEOUT_MS = 20_000;
const BACKOFF = { firstMs: 1_000, longestMs: 60_000 };
/** The status by which a receiver permanently declines further events. */
const GONE = 410;

export interface Receiver {
  url: string;
  key: Buffer;
  signal: AbortSignal;
  /** Called before each wait. */
  onRetry: (why: string, waitMs: number) => void;
}

interface Refusal {
  why: string;
  retryAfterMs: number | null;
}

/** @param id  lets the receiver deduplicate events @throws Failure if it accepts no further events */
export async function deliver(receiver: Receiver, id: string, event: unknown): Promise<void> {
  const body = JSON.stringify(event);
  for (let tries = 1; ; tries++) {
    const refusal = await attempt(receiver, id, body);
    if (!refusal) return;
    const waitMs = Math.max(boundedWaitMs(refusal.retryAfterMs), backoffMs(tries, Math.random(), BACKOFF));
    receiver.onRetry(refusal.why, waitMs);
    await sleep(waitMs, receiver.signal);
  }
}

/** @returns null if the receiver accepted it */
async function attempt({ url, key, signal }: Receiver, id: string, body: string): Promise<Refusal | null> {
  const deadline = new Deadline(signal);
  deadline.set(TIMEOUT_MS);
  try {
    const headers = webhookHeaders(key, id, Date.now(), body);
    const init = { method: "POST", headers, body, redirect: "manual" } as const;
    const response = await fetch(url, { ...init, signal: deadline.signal });
    await response.body?.cancel();
    if (response.ok) return null;
    if (response.status === GONE) throw new Failure(`${url} responded with 410: it accepts no further events`);
    const asked = retryAfterMs(response.headers.get("Retry-After"), Date.now());
    return { why: `${url} responded with ${response.status}`, retryAfterMs: asked };
  } catch (error) {
    if (error instanceof Failure) throw error;
    signal.throwIfAborted();
    return { why: `${url} ${deadline.hasPassed ? "timed out" : "did not respond"}`, retryAfterMs: null };
  } finally {
    deadline.end();
  }
}

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = { least: 24, most: 64 };
const HOW_TO_CREATE_ONE = 'To create one, run: echo "whsec_$(openssl rand -base64 32)"';

/** @returns the decoded key @throws Failure, whose message does not contain it */
export function webhookKey(secret: string): Buffer {
  const [, encoded = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(encoded, "base64");
  if (key.length >= SECRET_BYTES.least && key.length <= SECRET_BYTES.most) return key;
  const bytes = `${SECRET_BYTES.least} to ${SECRET_BYTES.most} bytes`;
  throw usageFailure(`Invalid secret: it must be ${SECRET_PREFIX} and ${bytes} in Base64`, HOW_TO_CREATE_ONE);
}

/**
 * Signs per Standard Webhooks (https://www.standardwebhooks.com), so that receivers can verify with a library.
 * @param id  the same for each attempt
 * @param now  epoch ms, of this attempt
 */
function webhookHeaders(key: Buffer, id: string, now: number, body: string): Record<string, string> {
  const seconds = String(Math.floor(now / 1_000));
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`,
  };
}
