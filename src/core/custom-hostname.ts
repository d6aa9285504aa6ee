/**
 * What Cloudflare says of a custom hostname, as the state of the certificate's record. Pure.
 * States: developers.cloudflare.com, Cloudflare for SaaS, "Validation status" and the API's custom hostname object.
 */
import type { Finding } from "./domain-records.ts";

export interface CustomHostname {
  id: string;
  /** Of the hostname. */
  status: string;
  /** Of its certificate. */
  certificate: string;
  /** What Cloudflare or the certificate authority complains of. */
  complaints: string[];
}

export type HostnameOutcome =
  /** `again`: what became of the order to validate it again; null where it was not given. */
  | { kind: "hostname"; hostname: CustomHostname; again: "started" | "unconfirmed" | null }
  /** Cloudflare refused it: its status and code, and its words. */
  | { kind: "refused"; status: number; code: number | null; message: string }
  | { kind: "silent"; why: string };

const QUOTA_CODES: ReadonlySet<number | null> = new Set([1404, 1405]);
/** The only refusals that are about the name. All others are about the operator's request, and no customer's fault. */
const NAME_CODES: ReadonlySet<number | null> = new Set([1407, 1408, 1409, 1410, 1411]);
/** The hostname is not there any more. */
export const GONE_CODE = 1436;
const LIVE: ReadonlySet<string> = new Set(["active", "active_redeploying"]);
const AGAIN = {
  started: "Validation has been started again.",
  unconfirmed: "Cloudflare has not confirmed the order to validate it again; the next check gives it once more.",
} as const;
const ENDED: ReadonlySet<string> = new Set(["expired", "inactive", "deactivating", "deleted", "pending_deletion"]);

export const AWAITS_DNS: Finding = { status: "pending", reason: "Ordered as soon as the other records are right." };

export function judgeHostname(outcome: HostnameOutcome): Finding {
  if (outcome.kind === "silent")
    return { status: "unknown", reason: `Cloudflare could not be asked, because ${outcome.why}.` };
  if (outcome.kind === "refused") return judgeRefusal(outcome);
  const { status, certificate, complaints } = outcome.hostname;
  const details = complaints.length > 0 ? ` Cloudflare says: ${complaints.join("; ")}` : "";
  if (status.endsWith("blocked")) {
    return { status: "failed", reason: `Cloudflare blocks this name; its owner must ask Cloudflare why.${details}` };
  }
  if (mustValidateAgain(outcome.hostname)) {
    const what = LIVE.has(status)
      ? `The certificate was not issued (${certificate})`
      : `Cloudflare gave the name up (${status})`;
    const { again } = outcome;
    const next = again ? AGAIN[again] : "It is validated again as soon as the other records are right.";
    return { status: "failed", reason: `${what}. ${next}${details}` };
  }
  if (!LIVE.has(status)) {
    return { status: "pending", reason: `Cloudflare is validating the name (${status}).${details}` };
  }
  if (certificate === "active") return { status: "active", reason: null };
  if (ENDED.has(certificate)) {
    return { status: "failed", reason: `The certificate is not in service (${certificate}).${details}` };
  }
  return { status: "pending", reason: `The certificate is being issued (${certificate}).${details}` };
}

/** States that Cloudflare leaves only when it is asked to. */
export function mustValidateAgain({ status, certificate }: CustomHostname): boolean {
  return status === "moved" || status === "deleted" || certificate.endsWith("_timed_out");
}

function judgeRefusal({ status, code, message }: HostnameOutcome & { kind: "refused" }): Finding {
  if (status === 429)
    return { status: "unknown", reason: "Cloudflare takes no more requests just now (429). It is tried again." };
  if (status >= 500) return { status: "unknown", reason: `Cloudflare has a fault (${status}). It is tried again.` };
  if (QUOTA_CODES.has(code)) {
    return {
      status: "failed",
      reason: "This service has used up its custom hostnames: its operator must raise the quota.",
    };
  }
  if (NAME_CODES.has(code)) {
    return { status: "failed", reason: `Cloudflare refuses this name (${code}): ${message}` };
  }
  if (code === GONE_CODE) return AWAITS_DNS;
  if (status === 401 || status === 403) {
    return { status: "unknown", reason: "Cloudflare refuses this service's token: its operator must renew it." };
  }
  return {
    status: "unknown",
    reason: "Cloudflare does not take this service's requests: its operator must see to it.",
  };
}
