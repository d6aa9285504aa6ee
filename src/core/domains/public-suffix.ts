/**
 * Looks names up in the Public Suffix List, private suffixes (github.io) included. Pure. The list takes 130 KB: import
 * this module only where a domain is added or checked.
 */
import { parse } from "tldts";

const PARSE_OPTIONS = { allowPrivateDomains: true };

/**
 * Whether the name is a public suffix (`co.uk`, `github.io`), under which anyone can register and which no customer can
 * own.
 */
export function isPublicSuffix(domain: string): boolean {
  return parse(domain, PARSE_OPTIONS).domain === null;
}

/** Whether the name is the registered domain itself (the zone apex), which DNS does not allow to have a CNAME. */
export function isApex(domain: string): boolean {
  return parse(domain, PARSE_OPTIONS).domain === domain;
}
