/**
 * Parses and checks names of short domains. Unicode, upper case and a final dot are accepted and become lower-case
 * A-labels; a name that can never be a short domain is refused with its reason. Pure; public suffixes, whose list takes
 * 130 KB, are in `public-suffix.ts`.
 */
import type { Hosts } from "../hosts.ts";

/** DNS allows 253 characters, and the name of the TXT record must fit as well. */
export const VERIFY_RECORD_PREFIX = "_hoplink-verify.";
const DOMAIN_MAX_CHARS = 253 - VERIFY_RECORD_PREFIX.length;
const LABEL_MAX_CHARS = 63;
/**
 * Includes the final dot. A-labels are never shorter than the name, and converting a long name takes quadratic time.
 */
const TEXT_MAX_CHARS = 254;
const TOO_LONG = `must have at most ${DOMAIN_MAX_CHARS} characters as A-labels, so that its ${VERIFY_RECORD_PREFIX.slice(0, -1)} record fits into DNS`;

export type ParsedDomainName = { domain: string } | { fault: string };

/** @returns the name in its stored form, or its problem, worded to follow the field's name */
export function parseDomainName(text: string): ParsedDomainName {
  const fault = faultOfText(text);
  if (fault) return { fault };
  // The URL parser implements UTS 46 (mapping, normalization, Punycode, IPv4 in other notations). It skips validation
  // for all-ASCII names, so dots are replaced by the equivalent U+3002 to force it; otherwise invalid A-labels would
  // pass.
  const hostname = URL.parse(`http://${text.replaceAll(".", "。")}/`)?.hostname.replace(/\.$/, "");
  if (!hostname) return { fault: "must be a valid host name such as go.example.com" };
  const faulty = faultOfHostname(hostname);
  return faulty ? { fault: faulty } : { domain: hostname };
}

/** The stored form of a name; the text itself if it is not a valid name, such as a configured domain with a port. */
export function normalizedDomain(text: string): string {
  const read = parseDomainName(text);
  return "domain" in read ? read.domain : text.toLowerCase();
}

function faultOfText(text: string): string | null {
  if (text === "") return "must not be empty";
  if (text.length > TEXT_MAX_CHARS) return TOO_LONG;
  if (text.includes("*")) return "must be a single host name, not a wildcard";
  if (text.includes("://") || /[/?#@\\]/.test(text)) return "must be only a host name, without scheme, path or user";
  if (text.startsWith("[") || /:.*:/.test(text)) return "must be a host name, not an IP address";
  if (text.includes(":")) return "must be a host name without a port";
  // oxlint-disable-next-line no-control-regex -- the pattern matches control characters deliberately
  if (/[\u0000-\u0020\u007f%]/.test(text)) return "must not contain spaces, control characters or %";
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  return null;
}

function faultOfHostname(hostname: string): string | null {
  if (/^[0-9.]+$/.test(hostname)) return "must be a host name, not an IP address";
  if (hostname.length > DOMAIN_MAX_CHARS) return TOO_LONG;
  const labels = hostname.split(".");
  if (labels.length < 2) return "must contain a dot, as in go.example.com";
  return labels.map(faultOfLabel).find((fault) => fault !== null) ?? null;
}

function faultOfLabel(label: string): string | null {
  if (label === "") return "must not contain an empty label (two dots, or a dot at the beginning)";
  if (label.length > LABEL_MAX_CHARS) return `must have labels of at most ${LABEL_MAX_CHARS} characters`;
  if (label.includes("_")) return "must not contain underscores";
  if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label)) {
    return "must have labels of letters, digits and hyphens that begin and end with a letter or digit";
  }
  return null;
}

/**
 * Whether a name is one of the service's hosts or a subdomain of one.
 * @param others  further names of the service
 */
export function isServiceHost(domain: string, hosts: Hosts, others: readonly string[]): boolean {
  const ours = [hosts.baseHostname, ...hosts.shortDomainByHostname.keys(), ...others];
  return ours.some((host) => domain === host || domain.endsWith(`.${host}`));
}
