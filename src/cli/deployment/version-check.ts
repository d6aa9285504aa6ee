/**
 * Shows that one version of a Worker works: requests that are pinned to it ask how each part does, then make a link and
 * follow it.
 */
import { MINUTE_MS } from "../../core/durations.ts";
import { issueOperatorToken } from "../../store/operators/operator-tokens.ts";
import { type HostReply, requestHost } from "./host-request.ts";
import { followNewLink } from "./link-check.ts";
import { SetupError } from "./setup-error.ts";

type Database = Pick<Env, "DB">;

export const CHECK_TOKEN_TTL_MS = 10 * MINUTE_MS;
/** A deployment takes seconds to be known everywhere. */
const SPREADS_MS = 60_000;
const POLL_MS = 500;

export interface CheckOptions {
  /** How long it may take until requests reach the version. */
  spreadsMs?: number | undefined;
  /** Ends the waiting. */
  signal: AbortSignal;
}

interface HealthReport {
  status: string;
  version?: string;
  checks: { name: string; ok: boolean; message: string }[];
}

/** The header that sends a request to a version, whatever its share is. */
function pinTo(worker: string, version: string): Record<string, string> {
  return { "Cloudflare-Workers-Version-Overrides": `${worker}="${version}"` };
}

/**
 * @returns the short URL that was followed
 * @throws Error with what is wrong
 */
export async function checkVersion(
  rows: Database,
  baseUrl: string,
  worker: string,
  version: string,
  { spreadsMs = SPREADS_MS, signal }: CheckOptions,
): Promise<string> {
  const headers = pinTo(worker, version);
  const report = await waitForVersion(rows, baseUrl, version, headers, spreadsMs, signal);
  const failing = report.checks.filter(({ ok }) => !ok).map(({ name, message }) => `${name}: ${message}`);
  if (failing.length > 0) throw new SetupError(`/health?deep says ${failing.join("; ")}.`);
  return followNewLink(rows, baseUrl, headers);
}

async function waitForVersion(
  rows: Database,
  baseUrl: string,
  version: string,
  pin: Record<string, string>,
  spreadsMs: number,
  signal: AbortSignal,
): Promise<HealthReport> {
  const token = await issueOperatorToken(rows, "operator", CHECK_TOKEN_TTL_MS, Date.now());
  const deadline = performance.now() + spreadsMs;
  for (;;) {
    signal.throwIfAborted();
    const reply = await requestHealth(baseUrl, token, pin);
    const report = parseHealth(reply);
    if (report?.version === version) return report;
    if (performance.now() > deadline)
      throw new SetupError(
        report
          ? `Requests for it reach version ${report.version ?? "of another release"}.`
          : `${baseUrl}/health?deep answers ${reply?.status ?? "not at all"}.`,
      );
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

/** @returns null when there was no answer */
export function requestHealth(
  baseUrl: string,
  token: string,
  pin: Record<string, string> = {},
  edgeAddress?: string,
): Promise<HostReply | null> {
  const headers = { ...pin, Authorization: `Bearer ${token}` };
  return requestHost(`${baseUrl}/health?deep`, { headers }, edgeAddress).catch(() => null);
}

/** @returns null where the answer is no report */
export function parseHealth(reply: HostReply | null): HealthReport | null {
  try {
    const report = JSON.parse(reply?.body ?? "null") as Partial<HealthReport> | null;
    return Array.isArray(report?.checks) ? (report as HealthReport) : null;
  } catch {
    return null;
  }
}
