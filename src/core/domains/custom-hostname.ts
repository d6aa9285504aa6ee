/**
 * Maps the state of a Cloudflare custom hostname to the status of the domain's certificate record. Pure. The states are
 * those of developers.cloudflare.com: Cloudflare for SaaS, "Validation status", and the API's custom hostname object.
 */
import type { Finding, RecordStatus } from "./domain-verification.ts";

export interface CustomHostname {
  id: string;
  /** Status of the hostname. */
  status: string;
  /** Status of its certificate. */
  certificateStatus: string;
  /** Validation errors of Cloudflare and the certificate authority. */
  errors: string[];
}

export type HostnameOutcome =
  /** `again`: the result of the revalidation request; null if none was sent. */
  | { kind: "hostname"; hostname: CustomHostname; again: "started" | "unconfirmed" | null }
  /** An error response of Cloudflare: its status, code and message. */
  | { kind: "refused"; status: number; code: number | null; message: string }
  | { kind: "silent"; why: string };

const QUOTA_ERROR_CODES: ReadonlySet<number | null> = new Set([1404, 1405]);
/**
 * Error codes about the name. All others are about the operator's account or request, which the customer cannot
 * correct.
 */
const NAME_ERROR_CODES: ReadonlySet<number | null> = new Set([1407, 1408, 1409, 1410, 1411]);
/** The hostname no longer exists. */
export const HOSTNAME_GONE_CODE = 1436;
const LIVE_STATUSES: ReadonlySet<string> = new Set(["active", "active_redeploying"]);
const REVALIDATION_NOTES = {
  started: "Validation has been started again.",
  unconfirmed: "Cloudflare has not confirmed the request to validate it again. The next check repeats the request.",
} as const;
const ENDED_CERTIFICATE_STATUSES: ReadonlySet<string> = new Set([
  "expired",
  "inactive",
  "deactivating",
  "deleted",
  "pending_deletion",
]);

export const AWAITS_DNS: Finding = { status: "pending", reason: "Requested as soon as the other records are correct." };

export function judgeHostname(outcome: HostnameOutcome): Finding {
  if (outcome.kind === "silent")
    return { status: "unknown", reason: `Cloudflare could not be reached, because ${outcome.why}.` };
  if (outcome.kind === "refused") return judgeRefusal(outcome);
  const { status, certificateStatus, errors } = outcome.hostname;
  const finding = (is: RecordStatus, why: string): Finding => {
    return { status: is, reason: errors.length > 0 ? `${why} Cloudflare says: ${errors.join("; ")}` : why };
  };
  if (status.endsWith("blocked")) {
    return finding("failed", "Cloudflare blocks this name. Its owner must ask Cloudflare for the reason.");
  }
  if (needsRevalidation(outcome.hostname)) {
    const what = LIVE_STATUSES.has(status)
      ? `The certificate was not issued (${certificateStatus})`
      : `Cloudflare no longer serves the name (${status})`;
    const { again } = outcome;
    const next = again ? REVALIDATION_NOTES[again] : "It is validated again as soon as the other records are correct.";
    return finding("failed", `${what}. ${next}`);
  }
  if (!LIVE_STATUSES.has(status)) return finding("pending", `Cloudflare is validating the name (${status}).`);
  if (certificateStatus === "active") return { status: "active", reason: null };
  return ENDED_CERTIFICATE_STATUSES.has(certificateStatus)
    ? finding("failed", `The certificate is not in service (${certificateStatus}).`)
    : finding("pending", `The certificate is being issued (${certificateStatus}).`);
}

/** States that a hostname leaves only after a new validation request. */
export function needsRevalidation({ status, certificateStatus }: CustomHostname): boolean {
  return status === "moved" || status === "deleted" || certificateStatus.endsWith("_timed_out");
}

function judgeRefusal({ status, code, message }: HostnameOutcome & { kind: "refused" }): Finding {
  const failed = (reason: string): Finding => ({ status: "failed", reason });
  const unknown = (reason: string): Finding => ({ status: "unknown", reason });
  if (status === 429) return unknown("Cloudflare limits the rate of requests (429). It will be retried.");
  if (status >= 500) return unknown(`Cloudflare returned an error (${status}). It will be retried.`);
  if (QUOTA_ERROR_CODES.has(code)) {
    return failed("This service has used all of its custom hostnames. Its operator must raise the quota.");
  }
  if (NAME_ERROR_CODES.has(code)) return failed(`Cloudflare refuses this name (${code}): ${message}`);
  if (code === HOSTNAME_GONE_CODE) return AWAITS_DNS;
  if (status === 401 || status === 403) {
    return unknown("Cloudflare refuses this service's token. Its operator must renew it.");
  }
  return unknown("Cloudflare refuses this service's requests. Its operator must fix this.");
}
