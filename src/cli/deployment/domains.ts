/**
 * Custom hosts of a deployment: settings derived from them, conflicts, and adding them to the Worker as custom domains.
 * wrangler is not used for that, because without a terminal it silently replaces existing DNS records.
 */
import { InvalidArgumentError } from "@commander-js/extra-typings";

import { CloudflareApiError } from "../cloudflare/api.ts";
import { EXIT, SetupError } from "../command.ts";
import { type CloudConnection, unlessUnavailable } from "./account.ts";
import type { Dialog } from "./dialog.ts";

const HOST = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
/** DNS records that can coexist with a Worker. */
const HARMLESS_TYPES = new Set(["TXT", "MX", "CAA", "NS"]);

interface WorkerDomain {
  id: string;
  hostname: string;
  service: string;
  cert_id?: string | null;
}

interface DnsRecord {
  type: string;
  name: string;
  content: string;
  meta?: { origin_worker_id?: string };
}

/** @throws InvalidArgumentError */
export function parseHost(text: string): string {
  if (HOST.test(text) && !text.endsWith(".workers.dev")) return text;
  throw new InvalidArgumentError("It must be your own host, such as go.example.com, without https://.");
}

/**
 * @returns the host of the service, then that of test links, if it has one; none on workers.dev
 * @throws SetupError if only test links would have a host
 */
export function hostsOf(domain: string | undefined, testDomain = domain): string[] {
  if (domain !== undefined) return [...new Set([domain, testDomain ?? domain])];
  if (testDomain === undefined) return [];
  throw new SetupError("--test-domain requires --domain.", EXIT.usage);
}

/** @param deployed  variables of the deployed Worker: images on a domain of the bucket stay there */
export function hostVariables(
  [domain, testDomain]: readonly string[],
  deployed: Record<string, string>,
): Record<string, string> {
  if (domain === undefined) return {};
  const cdnUrl = deployed.CDN_URL ?? "";
  return {
    BASE_URL: `https://${domain}`,
    SHORT_DOMAIN: domain,
    TEST_SHORT_DOMAIN: testDomain ?? domain,
    CDN_URL: cdnUrl === "" || cdnUrl.endsWith("/cdn") ? `https://${domain}/cdn` : cdnUrl,
  };
}

/**
 * The current targets of the hosts, other than this Worker.
 * @returns a line for each
 * @throws SetupError if no zone of the account contains a host
 */
export async function findConflicts(
  cloud: CloudConnection,
  worker: string,
  hosts: readonly string[],
): Promise<string[]> {
  const domains = (await workerDomains(cloud).catch(unlessUnavailable)) ?? [];
  const conflicts: string[] = [];
  for (const host of hosts) {
    const present = domains.find(({ hostname }) => hostname === host);
    if (present && present.service !== worker) conflicts.push(`${host} belongs to the Worker ${present.service}`);
    if (!present) conflicts.push(...(await foreignRecords(cloud, host)));
  }
  return conflicts;
}

async function foreignRecords(cloud: CloudConnection, host: string): Promise<string[]> {
  const zone = await findZone(cloud, host);
  const path = `/zones/${zone?.id}/dns_records?name=${encodeURIComponent(host)}`;
  const records = zone && (await cloud.api.get<DnsRecord[] | null>(path).catch(unlessUnavailable));
  return (records ?? [])
    .filter(({ type, meta }) => !HARMLESS_TYPES.has(type) && !meta?.origin_worker_id)
    .map(({ name, type, content }) => `${name} has a DNS record: ${type} ${content}`);
}

/** Warns if the zone of the host does not redirect plain HTTP. The token may not have permission to read it. */
export async function checkPlainHttp(cloud: CloudConnection, host: string, dialog: Dialog): Promise<void> {
  await dialog.tolerate(`Could not check whether http://${host} is redirected to https`, async () => {
    const zone = await findZone(cloud, host);
    const path = `/zones/${zone?.id}/settings/always_use_https`;
    const setting = zone && (await cloud.api.get<{ value?: string }>(path));
    if (setting?.value === "off") dialog.warn(`http://${host} is not redirected to https: ${ALWAYS_USE_HTTPS}`);
  });
}

/** @returns null if the token may not read zones */
async function findZone({ api, account }: CloudConnection, host: string): Promise<{ id: string } | null> {
  const labels = host.split(".");
  for (let i = 0; i < labels.length - 1; i++) {
    const query = new URLSearchParams({ name: labels.slice(i).join("."), "account.id": account.id });
    const zones = await api.get<{ id: string }[] | null>(`/zones?${query}`).catch(unlessUnavailable);
    if (!zones) return null;
    if (zones[0]) return zones[0];
  }
  throw new SetupError(`No zone of the account contains ${host}. Add the domain at https://dash.cloudflare.com first.`);
}

/**
 * Adds the hosts to the custom domains of the Worker. Includes existing ones, because Cloudflare replaces the list.
 * @param mayOverride  replaces the hosts' current targets
 */
export async function attachDomains(
  cloud: CloudConnection,
  worker: string,
  hosts: readonly string[],
  mayOverride: boolean,
): Promise<void> {
  const domains = await workerDomains(cloud);
  const own = new Set(domains.filter(({ service }) => service === worker).map(({ hostname }) => hostname));
  if (hosts.every((host) => own.has(host))) return;
  const origins = [...new Set([...own, ...hosts])].map((hostname) => ({ hostname }));
  const overrides = { override_existing_origin: mayOverride, override_existing_dns_record: mayOverride };
  const path = `/accounts/${cloud.account.id}/workers/scripts/${worker}/domains/records`;
  try {
    await cloud.api.send("PUT", path, { override_scope: true, ...overrides, origins });
  } catch (error) {
    if (!(error instanceof CloudflareApiError) || error.status !== 409) throw error;
    throw new SetupError(`${error.message} ${OVERRIDE_HINT}`, EXIT.questionOpen);
  }
}

export async function workerDomains({ api, account }: CloudConnection): Promise<WorkerDomain[]> {
  return (await api.get<WorkerDomain[] | null>(`/accounts/${account.id}/workers/domains`)) ?? [];
}

export const ALWAYS_USE_HTTPS = "turn on Always Use HTTPS in Cloudflare's dashboard (SSL/TLS, Edge Certificates)";
export const OVERRIDE_HINT = "Pass --override-dns to point the hosts to this Worker instead.";
