/**
 * Evaluates the DNS answers for a short domain: a status and a reason for each record. Pure; the queries are made by
 * `src/store/remote/dns.ts`. A resolver that does not answer proves nothing about the domain: `unknown`.
 */

/**
 * `missing` and `failed` are problems of the domain; `pending` is in progress; `unknown` means that the look-up failed.
 */
export const RECORD_STATUSES = ["pending", "active", "missing", "failed", "unknown"] as const;
export type RecordStatus = (typeof RECORD_STATUSES)[number];

export const DOMAIN_STATUSES = ["pending", "active", "misconfigured"] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

export interface Finding {
  status: RecordStatus;
  /** Null when there is nothing to add. */
  reason: string | null;
}

/** The finding for each record of one check. `certificate` is absent if this service does not order certificates. */
export interface Findings {
  cname: Finding;
  txt: Finding;
  certificate?: Finding;
}

export interface DnsRecord {
  type: "CNAME" | "TXT" | "A" | "AAAA";
  name: string;
  /** A name, an address, or the text of a TXT record with its strings joined. */
  data: string;
}

export type DnsAnswer =
  | { kind: "answer"; rcode: string; records: DnsRecord[] }
  /** `why` is worded to follow "because". */
  | { kind: "silent"; why: string };

const QUOTED_MAX_CHARS = 80;
const NAMES_LISTED_MAX = 5;

export const NOT_CHECKED: Finding = { status: "pending", reason: "Not checked yet." };

/** Evaluates the TXT record that proves control of the name. */
export function judgeTxt(name: string, token: string, answer: DnsAnswer): Finding {
  const trouble = lookupFailure(answer);
  if (trouble !== null) return lookupFailed(name, trouble);
  const found = answerRecords(answer)
    .filter(({ type }) => type === "TXT")
    .map(({ data }) => data);
  if (found.includes(token)) return { status: "active", reason: null };
  if (found.some((text) => unquoted(text) === token)) {
    return { status: "active", reason: `${name} has the value within quotation marks or spaces, which is accepted.` };
  }
  if (found.length > 0) return wrongTxt(name, token, found);
  if (isNxdomain(answer)) return nxdomain(name);
  return { status: "missing", reason: `${name} exists but has no TXT record.` };
}

function wrongTxt(name: string, token: string, found: string[]): Finding {
  const failed = (reason: string): Finding => ({ status: "failed", reason });
  if (found.some((text) => unquoted(text).toLowerCase() === token.toLowerCase())) {
    return failed(`${name} has the value in different upper and lower case. It must match exactly.`);
  }
  if (found.some((text) => text.includes(token))) {
    return failed(`${name} has the value with other text around it. The record must contain only the value.`);
  }
  const several = found.length > 1 ? `${found.length} TXT records, none with the value` : "another value";
  return failed(`${name} has ${several}: ${listed(found.map(quoted))}.`);
}

/** The names along the chain of CNAME records from `domain`; ends at a name without one, or at a loop. */
export function cnameChain(domain: string, records: readonly DnsRecord[]): string[] {
  const next = new Map(
    records.flatMap(({ type, name, data }) =>
      type === "CNAME" ? [[canonicalDnsName(name), canonicalDnsName(data)]] : [],
    ),
  );
  const chain = [domain];
  for (let name = next.get(domain); name !== undefined; name = next.get(name)) {
    chain.push(name);
    if (chain.indexOf(name) < chain.length - 1) break;
  }
  return chain;
}

/** The answers of all look-ups for a domain and for its target. */
export interface CnameLookup {
  domain: string;
  target: string;
  /** Whether the domain is a zone apex, which cannot have a CNAME. */
  apex: boolean;
  /** From `cnameChain`. */
  chain: readonly string[];
  /** Why the chain could not be followed to its end, or null. */
  chainFailure: string | null;
  cname: DnsAnswer;
  addresses: readonly DnsAnswer[];
  /** Addresses of the target; empty when they were not queried. */
  targetAddresses: readonly DnsAnswer[];
}

/**
 * Evaluates the record that routes visitors to the service: a CNAME, or the target's addresses where a CNAME is
 * impossible.
 */
export function judgeCname(route: CnameLookup): Finding {
  const { domain, target, chain, cname, apex } = route;
  if (chain.includes(target)) {
    const through = chain.slice(1, chain.indexOf(target));
    return { status: "active", reason: through.length > 0 ? `${domain} leads here through ${listed(through)}.` : null };
  }
  if (chain.length > 1) return wrongCname(route);
  if (addressesOf(route.addresses).length > 0) return judgeAddresses(route);
  if (isNxdomain(cname)) return nxdomain(domain);
  // With CNAME flattening the addresses are the only evidence, so a failed address look-up leaves the record unknown.
  const trouble = firstLookupFailure([cname, ...route.addresses]);
  if (trouble !== null) return lookupFailed(domain, trouble);
  const advice = apex
    ? ` An apex name cannot have a CNAME: use an ALIAS, an ANAME or CNAME flattening to ${target}, or a sub-domain.`
    : "";
  return { status: "missing", reason: `${domain} exists but has no CNAME record and no address.${advice}` };
}

function wrongCname({ domain, target, chain, chainFailure }: CnameLookup): Finding {
  const last = chain.at(-1) ?? domain;
  if (chainFailure !== null) return lookupFailed(last, chainFailure);
  if (chain.indexOf(last) < chain.length - 1) {
    return { status: "failed", reason: `The CNAME records of ${domain} form a loop: ${chain.join(" → ")}.` };
  }
  return { status: "failed", reason: `${domain} leads to ${listed(chain.slice(1))}, not to ${target}.` };
}

/**
 * With CNAME flattening only addresses are visible, possibly a subset of the target's. An address that is not the
 * target's would receive part of the visitors, so it is a failure.
 */
function judgeAddresses({ domain, target, apex, addresses, targetAddresses }: CnameLookup): Finding {
  const ours = new Set(addressesOf(targetAddresses));
  const theirs = addressesOf(addresses);
  const foreign = theirs.filter((address) => !ours.has(address));
  if (foreign.length === 0) {
    return { status: "active", reason: `${domain} has no CNAME, but the addresses of ${target}.` };
  }
  const trouble = firstLookupFailure(targetAddresses);
  if (trouble !== null) return lookupFailed(target, trouble);
  const advice = apex
    ? `An apex name cannot have a CNAME: use an ALIAS, an ANAME or CNAME flattening to ${target}.`
    : `Set a CNAME to ${target}, and switch off any proxy in front of it.`;
  return {
    status: "failed",
    reason: `${domain} has no CNAME, and addresses that do not belong to this service: ${listed(foreign)}. ${advice}`,
  };
}

/** Addresses in canonical notation. */
function addressesOf(answers: readonly DnsAnswer[]): string[] {
  return answers
    .flatMap(answerRecords)
    .flatMap(({ type, data }) =>
      type === "AAAA" ? [URL.parse(`http://[${data}]`)?.hostname ?? data] : type === "A" ? [data] : [],
    );
}

/**
 * The domain's next status. A problem changes an active domain to `misconfigured`, which accepts no new links.
 * `pending` and `unknown` findings change nothing: a slow resolver neither stops a domain nor activates one.
 */
export function nextDomainStatus(before: DomainStatus, findings: Findings): DomainStatus {
  const statuses = Object.values(findings).map((finding: Finding) => finding.status);
  if (statuses.every((status) => status === "active")) return "active";
  const faulty = statuses.some((status) => status === "missing" || status === "failed");
  return before !== "pending" && faulty ? "misconfigured" : before;
}

/**
 * The TXT record is right, but another account (or mode) verified the domain first and its record is still in place.
 */
export const VERIFIED_ELSEWHERE: Finding = {
  status: "failed",
  reason:
    "The value is correct, but the domain is verified by another account or in the other mode, whose TXT record still exists.",
};

function lookupFailed(name: string, why: string): Finding {
  return { status: "unknown", reason: `${name} could not be looked up, because ${why}. It will be retried.` };
}

function nxdomain(name: string): Finding {
  return { status: "missing", reason: `${name} does not exist in DNS (NXDOMAIN).` };
}

function isNxdomain(answer: DnsAnswer): boolean {
  return answer.kind === "answer" && answer.rcode === "NXDOMAIN";
}

export function answerRecords(answer: DnsAnswer): DnsRecord[] {
  return answer.kind === "answer" ? answer.records : [];
}

/** @returns why the look-up failed, worded to follow "because"; null when the answer is usable */
export function lookupFailure(answer: DnsAnswer): string | null {
  if (answer.kind === "silent") return answer.why;
  return ["NOERROR", "NXDOMAIN"].includes(answer.rcode) ? null : `its name servers fail (${answer.rcode})`;
}

function firstLookupFailure(answers: readonly DnsAnswer[]): string | null {
  return answers.map(lookupFailure).find((trouble) => trouble !== null) ?? null;
}

/** Removes quotation marks around the whole value or around each string: DNS providers' forms keep pasted ones. */
function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .replaceAll(/"\s+"/g, "")
    .trim();
}

/** Untrusted record text for a message, shortened and with control characters escaped. */
function quoted(text: string): string {
  const short = text.length > QUOTED_MAX_CHARS ? `${text.slice(0, QUOTED_MAX_CHARS)}…` : text;
  return JSON.stringify(short);
}

function listed(names: readonly string[]): string {
  const rest = names.length > NAMES_LISTED_MAX ? ` and ${names.length - NAMES_LISTED_MAX} more` : "";
  return names.slice(0, NAMES_LISTED_MAX).join(", ") + rest;
}

/** DNS names compare case-insensitively, and the final dot is optional. */
export function canonicalDnsName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
