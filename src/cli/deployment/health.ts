/** Asks a deployment how each of its parts does, with a token that it is given through the database for that. */
import { MINUTE_MS } from "../../core/durations.ts";
import { issueOperatorToken } from "../../store/operators/operator-tokens.ts";
import type { Part } from "./check.ts";
import { requestHost } from "./host-request.ts";
import { SetupError } from "./setup-error.ts";

type Rows = Pick<Env, "DB">;

const TOKEN_TTL_MS = 10 * MINUTE_MS;
/** A deployment takes seconds to be known everywhere. */
const SPREADS_MS = 60_000;
const POLL_MS = 500;

export interface Place {
  baseUrl: string;
  /** More headers of the requests. */
  headers?: Record<string, string>;
  /** In the place of `EDGE_ADDRESS`. */
  edgeAddress?: string;
}

export interface WaitOptions {
  /** How long it may take until requests reach the version. */
  spreadsMs?: number | undefined;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}

interface HealthReport {
  version?: string;
  checks: Part[];
}

/** The header that sends a request to a version, whatever its share is. */
export function pinTo(worker: string, version: string): Record<string, string> {
  return { "Cloudflare-Workers-Version-Overrides": `${worker}="${version}"` };
}

/** @throws Error when there is no report */
export async function healthOf(rows: Rows, place: Place): Promise<Part[]> {
  const { report, fault } = await requestHealth(place, await issueToken(rows));
  if (!report) throw new Error(fault);
  return report.checks;
}

/** Waits until requests reach the version. @throws SetupError when they do not */
export async function healthOfVersion(
  rows: Rows,
  place: Place,
  version: string,
  { spreadsMs = SPREADS_MS, signal }: WaitOptions,
): Promise<Part[]> {
  const token = await issueToken(rows);
  const deadline = performance.now() + spreadsMs;
  for (;;) {
    signal?.throwIfAborted();
    const { report, fault } = await requestHealth(place, token);
    if (report?.version === version) return report.checks;
    if (performance.now() > deadline)
      throw new SetupError(
        report ? `Requests for it reach version ${report.version ?? "of another release"}.` : `${fault}.`,
      );
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

function issueToken(rows: Rows): Promise<string> {
  return issueOperatorToken(rows, "operator", TOKEN_TTL_MS, Date.now());
}

/** The report is null where there is no answer, or it is no report. */
async function requestHealth({ baseUrl, headers, edgeAddress }: Place, token: string) {
  const url = `${baseUrl}/health?deep`;
  const init = { headers: { ...headers, Authorization: `Bearer ${token}` } };
  const reply = await requestHost(url, init, edgeAddress).catch(() => null);
  return { report: parseHealth(reply?.body ?? ""), fault: `${url} answers ${reply?.status ?? "not at all"}` };
}

function parseHealth(text: string): HealthReport | null {
  try {
    const report = JSON.parse(text) as Partial<HealthReport> | null;
    return Array.isArray(report?.checks) ? (report as HealthReport) : null;
  } catch {
    return null;
  }
}
