/**
 * What the Public Suffix List says of a name, private suffixes (github.io) included. Pure.
 * The list weighs 130 KB: load this module only where a domain is added or checked.
 */
import { parse } from "tldts";

const PARSE_OPTIONS = { allowPrivateDomains: true };

/** Whether everybody may register below this name, so that nobody can have it alone. */
export function isPublicSuffix(domain: string): boolean {
  return parse(domain, PARSE_OPTIONS).domain === null;
}

/** Whether it is the name that was registered itself, which by DNS's rules cannot have a CNAME. */
export function isApex(domain: string): boolean {
  return parse(domain, PARSE_OPTIONS).domain === domain;
}
