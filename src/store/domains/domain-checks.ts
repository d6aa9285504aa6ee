/**
 * The check of a domain: queries DNS, claims a proven name, orders or reads the certificate, stores the findings. Runs
 * only when a client retrieves the domain, never in the background.
 */
import { AWAITS_DNS, judgeHostname } from "../../core/domains/custom-hostname.ts";
import { VERIFY_RECORD_PREFIX } from "../../core/domains/domain-name.ts";
import {
  canonicalDnsName,
  cnameChain,
  type DnsAnswer,
  type DnsRecord,
  type Finding,
  type Findings,
  judgeCname,
  judgeTxt,
  nextDomainStatus,
  answerRecords,
  VERIFIED_ELSEWHERE,
  lookupFailure,
} from "../../core/domains/domain-verification.ts";
import { hostnameOf, type Hosts } from "../../core/hosts.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { ensureCopied } from "../directory/home-copies.ts";
import { UnavailableError } from "../timeout.ts";
import {
  areCustomHostnamesEnabled,
  ensureHostname,
  readHostname,
  releaseUnusedHostname,
} from "../remote/custom-hostnames.ts";
import { type DnsLookup, createResolver } from "../remote/dns.ts";
import { startCheckIfDue, claimDomain, saveCheck, findOtherHolder, type DomainHolder } from "./domain-claims.ts";
import type { DomainRecord } from "./domain-rows.ts";
import { readDomain } from "./domains.ts";

/** Minimum time between two checks of a domain. */
const CHECK_INTERVAL_MS = 10_000;

/** Resolvers give up on longer CNAME chains, so such a domain would not reach this service. */
const CHAIN_MAX_HOPS = 8;

/** The required target of CNAME records. */
export function cnameTarget(env: Env, { shortDomains }: Hosts): string {
  return canonicalDnsName(env.CNAME_TARGET || hostnameOf(shortDomains.live));
}

/**
 * Checks the domain, unless its findings are younger than `CHECK_INTERVAL_MS`.
 * @param target  of CNAME records
 * @returns `waitMs`: ms until the next check is possible; null when this request ran a check
 * @throws ApiError domain_not_found
 */
export async function checkDomainIfDue(
  env: Env,
  caller: Caller,
  id: string,
  target: string,
): Promise<{ domain: DomainRecord; waitMs: number | null }> {
  const now = Date.now();
  const due = await startCheckIfDue(env, caller, id, now, CHECK_INTERVAL_MS);
  const checked = due && (await runCheck(env, caller, due, target));
  if (checked) return { domain: checked, waitMs: null };
  const domain = await readDomain(env, caller, id);
  const dueAt = domain.checkStartedAt === null ? 0 : domain.checkStartedAt + CHECK_INTERVAL_MS;
  return { domain, waitMs: Math.max(0, dueAt - Date.now()) };
}

/** @returns null when the check was superseded (`saveCheck`) */
async function runCheck(env: Env, caller: Caller, domain: DomainRecord, target: string): Promise<DomainRecord | null> {
  const lookUp = createResolver(env);
  const [cname, proof] = await Promise.all([
    checkCname(lookUp, domain.domain, target),
    queryProof(lookUp, domain.domain),
  ]);
  const proofFinding = judgeProof(domain, proof);
  const isClaimed = domain.verifiedAt !== null;
  // A claim may have been interrupted: a database without it still redirects the former holder's links.
  if (isClaimed && domain.status !== "active" && !(await ensureCopied(env, caller.accountId)))
    throw new UnavailableError("a database of links does not respond");
  const owned =
    isClaimed || (proofFinding.status === "active" && (await claimProvenDomain(env, caller, domain, proof)));
  const txt = proofFinding.status === "active" && !owned ? VERIFIED_ELSEWHERE : proofFinding;
  const { certificate, customHostnameId } = await checkCertificate(env, domain, owned && cname.status === "active");
  const findings: Findings = { cname, txt, ...(certificate ? { certificate } : {}) };
  const status = nextDomainStatus(domain.status, findings);
  const saved = await saveCheck(env, caller, { ...domain, status, findings, customHostnameId }, domain.status);
  // A hostname created by this check is stored nowhere, so it must be released here.
  if (!saved && customHostnameId !== null && customHostnameId !== domain.customHostnameId)
    await releaseUnusedHostname(env, domain.domain, customHostnameId);
  return saved;
}

function queryProof(lookUp: DnsLookup, domain: string): Promise<DnsAnswer> {
  return lookUp(VERIFY_RECORD_PREFIX + domain, "TXT");
}

function judgeProof({ domain, token }: Pick<DomainRecord, "domain" | "token">, proof: DnsAnswer): Finding {
  return judgeTxt(VERIFY_RECORD_PREFIX + domain, token, proof);
}

/**
 * Claims the name. A single DNS answer shows that the caller has proved the name and that the former holder no longer
 * does.
 */
async function claimProvenDomain(
  env: Env,
  caller: Caller,
  { id, domain }: DomainRecord,
  proof: DnsAnswer,
): Promise<boolean> {
  const holder = await findOtherHolder(env, caller, domain);
  return claimDomain(env, caller, id, lapsedHolderId(caller, holder, domain, proof));
}

/**
 * Finds another account's domain whose proof is gone, since names change hands: the caller may claim the name from it.
 * @returns null when no other account holds the name, its proof is still present, or DNS did not respond
 */
export async function findLapsedHolderId(env: Env, caller: Caller, domain: string): Promise<string | null> {
  const holder = await findOtherHolder(env, caller, domain);
  return holder && lapsedHolderId(caller, holder, domain, await queryProof(createResolver(env), domain));
}

/** A test key cannot end live links, not even those of the same account. */
function lapsedHolderId(caller: Caller, holder: DomainHolder | null, domain: string, proof: DnsAnswer): string | null {
  if (!holder || (holder.mode === "live" && caller.mode === "test")) return null;
  const { status } = judgeProof({ domain, token: holder.token }, proof);
  return status === "missing" || status === "failed" ? holder.id : null;
}

async function checkCname(lookUp: DnsLookup, domain: string, target: string): Promise<Finding> {
  const [cname, a, aaaa] = await Promise.all([lookUp(domain, "CNAME"), lookUp(domain, "A"), lookUp(domain, "AAAA")]);
  const addresses = [a, aaaa];
  const { chain, trouble } = await resolveCnameChain(
    lookUp,
    domain,
    target,
    [cname, ...addresses].flatMap(answerRecords),
  );
  const compares = chain.length === 1 && addresses.flatMap(answerRecords).length > 0;
  const targetAddresses = compares ? await Promise.all([lookUp(target, "A"), lookUp(target, "AAAA")]) : [];
  const { isApex } = await import("../../core/domains/public-suffix.ts");
  const apex = isApex(domain);
  return judgeCname({ domain, target, apex, chain, chainFailure: trouble, cname, addresses, targetAddresses });
}

/**
 * Follows the CNAME chain. A resolver returns it with the addresses at its end; when there are none, each name is
 * queried for its own CNAME.
 */
async function resolveCnameChain(
  lookUp: DnsLookup,
  domain: string,
  target: string,
  records: readonly DnsRecord[],
): Promise<{ chain: string[]; trouble: string | null }> {
  const chain = cnameChain(domain, records);
  const isOver = chain.length === 1 || chain.length > CHAIN_MAX_HOPS || chain.includes(target);
  if (isOver) return { chain, trouble: null };
  const answer = await lookUp(chain.at(-1) ?? domain, "CNAME");
  const more = [...records, ...answerRecords(answer)];
  const isLonger = cnameChain(domain, more).length > chain.length;
  return isLonger ? resolveCnameChain(lookUp, domain, target, more) : { chain, trouble: lookupFailure(answer) };
}

interface CertificateCheck {
  certificate: Finding | null;
  customHostnameId: string | null;
}

/**
 * Orders a certificate only for a verified name whose CNAME is right: names that are only claimed would use up the
 * operator's quota, or block the name for its owner.
 */
async function checkCertificate(env: Env, domain: DomainRecord, ready: boolean): Promise<CertificateCheck> {
  const id = domain.customHostnameId;
  if (!areCustomHostnamesEnabled(env)) return { certificate: null, customHostnameId: id };
  if (!ready && id === null) return { certificate: AWAITS_DNS, customHostnameId: null };
  const outcome = await (ready || id === null
    ? ensureHostname(env, domain.domain, id)
    : readHostname(env, domain.domain, id));
  const customHostnameId = outcome.kind === "hostname" ? outcome.hostname.id : id;
  return { certificate: judgeHostname(outcome), customHostnameId };
}
