/**
 * Cloudflare's API for custom hostnames (Cloudflare for SaaS): visitors of a customer's domain get a certificate and
 * reach this Worker. Used only if `CF_ZONE_ID` and `CF_API_TOKEN` are set. `ensureHostname` and `readHostname` never
 * throw; failures are returned as a HostnameOutcome.
 *
 * Hostnames that are no longer needed are deleted: each uses the zone's quota until Cloudflare has deleted it. A trigger
 * queues them in the transaction that removes their domain (schema.sql). The request tries immediately; the maintenance
 * object retries. Deletion is idempotent.
 */
import * as z from "zod";

import { HOSTNAME_GONE_CODE, type HostnameOutcome, needsRevalidation } from "../../core/domains/custom-hostname.ts";
import { backoffMs } from "../../core/retries.ts";
import { DAY_MS, MINUTE_MS } from "../../core/time.ts";
import { isHostnameInUse } from "../domains/domain-claims.ts";
import { isFetchTimeout } from "../timeout.ts";
import { changeRows, queryRows } from "../statements.ts";

/**
 * Time limit for all calls about one hostname. Together with the limit for DNS, a check ends before the next one may
 * begin.
 */
const CLOUDFLARE_TIMEOUT_MS = 4_000;

const CF_API_URL = "https://api.cloudflare.com/client/v4";

/** Validated over HTTP: the CNAME already points to this service, so the owner needs no further record. */
const SSL_SETTINGS = { method: "http", type: "dv" };

const DUPLICATE_CODE = 1406;

const VerificationError = z.union([z.string(), z.object({ message: z.string().optional() })]);

const Hostname = z
  .object({
    id: z.string(),
    hostname: z.string(),
    status: z.string().default("pending"),
    verification_errors: z.array(VerificationError).default([]),
    ssl: z
      .object({ status: z.string().default("initializing"), validation_errors: z.array(VerificationError).default([]) })
      .default({ status: "initializing", validation_errors: [] }),
  })
  .transform(({ id, hostname, status, verification_errors, ssl }) => ({
    id,
    hostname,
    status,
    certificateStatus: ssl.status,
    errors: [...verification_errors, ...ssl.validation_errors].flatMap((complaint) =>
      typeof complaint === "string" ? [complaint] : (complaint.message ?? []),
    ),
  }));

const ErrorResponse = z.object({
  errors: z.array(z.object({ code: z.number().optional(), message: z.string().default("") })).default([]),
});

export function areCustomHostnamesEnabled(env: Env): boolean {
  return Boolean(env.CF_ZONE_ID && env.CF_API_TOKEN);
}

/**
 * Returns the custom hostname of a domain, and creates it if there is none.
 * @param id  the stored id; null when none was created yet
 */
export async function ensureHostname(env: Env, domain: string, id: string | null): Promise<HostnameOutcome> {
  const call = hostnameClient(env, domain);
  const found = id === null ? await createHostname(call, domain) : await call("GET", `/${id}`);
  const isGone = id !== null && found.kind === "refused" && found.code === HOSTNAME_GONE_CODE;
  const outcome = isGone ? await createHostname(call, domain) : found;
  if (outcome.kind !== "hostname" || !needsRevalidation(outcome.hostname)) return outcome;
  const revalidation = await call("PATCH", `/${outcome.hostname.id}`, { ssl: SSL_SETTINGS });
  return { ...outcome, again: revalidation.kind === "hostname" ? "started" : "unconfirmed" };
}

/** Reads the state of an existing custom hostname. */
export function readHostname(env: Env, domain: string, id: string): Promise<HostnameOutcome> {
  return hostnameClient(env, domain)("GET", `/${id}`);
}

/** Deletes a custom hostname; succeeds if it is already gone. @throws Error when Cloudflare did not confirm */
async function deleteHostname(env: Env, id: string): Promise<void> {
  const response = await fetchCloudflare(env, AbortSignal.timeout(CLOUDFLARE_TIMEOUT_MS), "DELETE", `/${id}`);
  if (!response.ok && response.status !== 404) throw new Error(`Cloudflare returned ${response.status}`);
}

/**
 * Creates a custom hostname. On DUPLICATE_CODE adopts the existing one: an earlier create may have succeeded although
 * its response was lost.
 */
async function createHostname(call: HostnameCall, domain: string): Promise<HostnameOutcome> {
  const created = await call("POST", "", { hostname: domain, ssl: SSL_SETTINGS });
  if (created.kind !== "refused" || created.code !== DUPLICATE_CODE) return created;
  return call("GET", `?hostname=${domain}`);
}

type HostnameCall = (method: string, path: string, body?: unknown) => Promise<HostnameOutcome>;

/** A client for the hostname of one domain. Its time limit starts now. */
function hostnameClient(env: Env, domain: string): HostnameCall {
  const deadline = AbortSignal.timeout(CLOUDFLARE_TIMEOUT_MS);
  return async (method, path, body) => {
    try {
      const response = await fetchCloudflare(env, deadline, method, path, body);
      const answer = parseJsonOrEmpty(await response.text());
      if (response.ok) return hostnameFromResponse(answer, domain);
      const { errors } = ErrorResponse.parse(answer);
      if (response.status !== 404) console.warn("Cloudflare refused", { method, status: response.status, errors });
      const [first] = errors;
      return { kind: "refused", status: response.status, code: first?.code ?? null, message: first?.message ?? "" };
    } catch (error) {
      console.warn("Cloudflare not answered", { method, error: String(error) });
      return {
        kind: "silent",
        why: isFetchTimeout(error)
          ? `it did not respond within ${CLOUDFLARE_TIMEOUT_MS / 1_000} s`
          : "the connection failed or the response was invalid",
      };
    }
  };
}

/** Returns {} for a body that is not JSON: gateways answer errors in HTML. */
function parseJsonOrEmpty(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Cloudflare's search also returns names that merely contain the searched one. */
function hostnameFromResponse(body: unknown, domain: string): HostnameOutcome {
  const { result } = z.object({ result: z.union([Hostname, z.array(Hostname)]) }).parse(body);
  const hostname = (Array.isArray(result) ? result : [result]).find((found) => found.hostname === domain);
  return hostname
    ? { kind: "hostname", hostname, again: null }
    : { kind: "silent", why: "it reports that the name exists, but does not return it" };
}

function fetchCloudflare(
  env: Env,
  signal: AbortSignal,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return fetch(`${env.CF_API_URL || CF_API_URL}/zones/${env.CF_ZONE_ID}/custom_hostnames${path}`, {
    method,
    headers: { Authorization: `Bearer ${env.CF_API_TOKEN}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  });
}

interface HostnameRelease {
  id: string;
  domain: string;
  tries: number;
}

/**
 * Cloudflare allows 1,200 calls in five minutes; a revoked token makes every call fail until the operator replaces it.
 */
const BACKOFF = { firstMs: MINUTE_MS, longestMs: DAY_MS };

/** Releases the custom hostname of a removed domain. Never throws: failures are retried. */
export async function releaseHostname(env: Env, domain: string, id: string | null): Promise<void> {
  if (id === null || !areCustomHostnamesEnabled(env)) return;
  await tryRelease(env, { id, domain, tries: 0 }).catch((error) =>
    console.error("custom hostname not noted", { id, error }),
  );
}

/** Queues and releases a custom hostname that no domain's row ever had. */
export async function releaseUnusedHostname(env: Env, domain: string, id: string): Promise<void> {
  const sql = "INSERT INTO hostname_releases (id, domain) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
  await changeRows(env.DB, sql, [id, domain]);
  await releaseHostname(env, domain, id);
}

/** Retries some of the due releases. @returns their number */
export async function releaseDueHostnames(env: Env, limit: number): Promise<number> {
  if (!areCustomHostnamesEnabled(env)) return 0;
  const sql = "SELECT id, domain, tries FROM hostname_releases WHERE due_at <= ?1 LIMIT ?2";
  const results = await queryRows<HostnameRelease>(env.DB, sql, [Date.now(), limit]);
  await Promise.all(results.map((due) => tryRelease(env, due)));
  return results.length;
}

/** When the next release is due, epoch ms; null when none is queued. */
export async function nextHostnameReleaseAt(env: Env): Promise<number | null> {
  if (!areCustomHostnamesEnabled(env)) return null;
  return env.DB.prepare("SELECT min(due_at) AS at FROM hostname_releases").first<number | null>("at");
}

async function tryRelease(env: Env, { id, domain, tries }: HostnameRelease): Promise<void> {
  try {
    // Another account may have verified the domain and adopted the hostname since.
    if (!(await isHostnameInUse(env, domain, id))) await deleteHostname(env, id);
    await changeRows(env.DB, "DELETE FROM hostname_releases WHERE id = ?1", [id]);
  } catch (error) {
    console.error("custom hostname not deleted", { id, tries, error: String(error) });
    const sql = "UPDATE hostname_releases SET due_at = ?2, tries = ?3 WHERE id = ?1";
    await changeRows(env.DB, sql, [id, Date.now() + backoffMs(tries + 1, Math.random(), BACKOFF), tries + 1]);
  }
}
