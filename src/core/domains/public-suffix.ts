/**
 * Looks names up in the Public Suffix List, private suffixes (github.io) included. Pure. The list takes 130 KB: import
 * this module only where a domain is added or checked.
 */
import { parse } from "tldts";

const PARSE_OPTIONS = { allowPrivateDomains: true };

/**
 * Whether the name is a public suffix (`co.uk`, `github.io`). Anyone can register names under it, and no customer can
 * own it.
 */
export function isPublicSuffix(domain: string): boolean {
  return parse(domain, PARSE_OPTIONS).domain === null;
}

/** Whether the name is the registered domain itself (the zone apex), which cannot have a CNAME in DNS. */
export function isApex(domain: string): boolean {
  return parse(domain, PARSE_OPTIONS).domain === domain;
}
