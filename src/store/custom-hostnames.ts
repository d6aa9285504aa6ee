/**
 * Custom hostnames at Cloudflare (Cloudflare for SaaS): visitors of a customer's domain get a certificate and reach this
 * Worker. Only where `CF_ZONE_ID` and `CF_API_TOKEN` are set. Never throws: what goes wrong is told as an outcome.
 */
import { z } from "zod";

import { type HostnameOutcome, mustValidateAgain } from "../core/custom-hostname.ts";
import { isTimeout } from "./patience.ts";

const PATIENCE_MS = 5_000;

/** Over HTTP, because the CNAME already leads here: the owner has nothing more to set. */
const SSL = { method: "http", type: "dv" };

const DUPLICATE = 1406;

const Complaint = z.union([z.string(), z.object({ message: z.string().optional() })]);

const Hostname = z
  .object({
    id: z.string(),
    status: z.string().default("pending"),
    verification_errors: z.array(Complaint).default([]),
    ssl: z
      .object({ status: z.string().default("initializing"), validation_errors: z.array(Complaint).default([]) })
      .default({ status: "initializing", validation_errors: [] }),
  })
  .transform(({ id, status, verification_errors, ssl }) => ({
    id,
    status,
    certificate: ssl.status,
    complaints: [...verification_errors, ...ssl.validation_errors].flatMap((complaint) =>
      typeof complaint === "string" ? [complaint] : (complaint.message ?? []),
    ),
  }));

const Refusal = z.object({
  errors: z.array(z.object({ code: z.number().optional(), message: z.string().default("") })).default([]),
});

export function hasCustomHostnames(env: Env): boolean {
  return Boolean(env.CF_ZONE_ID && env.CF_API_TOKEN);
}

/**
 * The custom hostname of a domain, made when there is none.
 * @param id  as it was kept; null when none was made yet
 */
export async function ensureHostname(env: Env, domain: string, id: string | null): Promise<HostnameOutcome> {
  const found = id === null ? await create(env, domain) : await call(env, "GET", `/${id}`);
  const outcome = id !== null && found.kind === "refused" && found.status === 404 ? await create(env, domain) : found;
  if (outcome.kind === "hostname" && mustValidateAgain(outcome.hostname)) {
    await call(env, "PATCH", `/${outcome.hostname.id}`, { ssl: SSL });
  }
  return outcome;
}

/** The state of a custom hostname that was made. */
export function readHostname(env: Env, id: string): Promise<HostnameOutcome> {
  return call(env, "GET", `/${id}`);
}

/** Best effort: one that stays behind is taken over when the domain is added again. */
export async function deleteHostname(env: Env, id: string): Promise<void> {
  const response = await send(env, "DELETE", `/${id}`).catch((error: unknown) => String(error));
  if (typeof response === "string" || (!response.ok && response.status !== 404)) {
    console.error("custom hostname not deleted", {
      id,
      answer: typeof response === "string" ? response : response.status,
    });
  }
}

/** A creation whose answer was lost has made a hostname all the same: then that one is ours. */
async function create(env: Env, domain: string): Promise<HostnameOutcome> {
  const created = await call(env, "POST", "", { hostname: domain, ssl: SSL });
  if (created.kind !== "refused" || created.code !== DUPLICATE) return created;
  return call(env, "GET", `?hostname=${domain}`);
}

async function call(env: Env, method: string, path: string, body?: unknown): Promise<HostnameOutcome> {
  try {
    const response = await send(env, method, path, body);
    const answer = jsonOf(await response.text());
    if (response.ok) return hostnameIn(answer);
    const { errors } = Refusal.parse(answer);
    if (response.status !== 404) console.warn("Cloudflare refused", { method, status: response.status, errors });
    const [first] = errors;
    return { kind: "refused", status: response.status, code: first?.code ?? null, message: first?.message ?? "" };
  } catch (error) {
    console.warn("Cloudflare not answered", { method, error: String(error) });
    return {
      kind: "silent",
      why: isTimeout(error)
        ? `it gave no answer in ${PATIENCE_MS / 1_000} s`
        : "it cannot be reached or does not answer as it should",
    };
  }
}

/** Gateways in between answer in HTML. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function hostnameIn(answer: unknown): HostnameOutcome {
  const { result } = z.object({ result: z.union([Hostname, z.array(Hostname)]) }).parse(answer);
  const hostname = Array.isArray(result) ? result[0] : result;
  return hostname
    ? { kind: "hostname", hostname }
    : { kind: "silent", why: "it says the name is there, and then that it is not" };
}

function send(env: Env, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${env.CF_API_URL}/zones/${env.CF_ZONE_ID}/custom_hostnames${path}`, {
    method,
    headers: { Authorization: `Bearer ${env.CF_API_TOKEN}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
}
