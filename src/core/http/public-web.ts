/**
 * Pages and images on the public web that the service may fetch for users. Refuses URLs and addresses inside the
 * operator's network (server-side request forgery, SSRF). Pure.
 */
import ipaddr from "ipaddr.js";

import { parseUrl } from "../hosts.ts";

const REFERENCE_MAX_CHARS = 2_048;

/**
 * The URL if its text allows fetching it; the addresses of its host are checked after DNS has answered. Accepts only
 * host names, because web pages for people do not use bare addresses. Accepts only the usual ports, so that no other
 * service of a machine is reached.
 */
export function fetchableUrl(text: string, base?: URL): URL | null {
  // A page or a redirect may name any host, and parsing a long one takes quadratic time.
  if (base && text.length > REFERENCE_MAX_CHARS) return null;
  const url = base ? URL.parse(text, base.href) : parseUrl(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  if (url.port !== "" || url.username !== "" || url.password !== "") return null;
  const hostname = url.hostname.replace(/\.$/, "");
  if (hostname.startsWith("[") || ipaddr.isValid(hostname) || !hostname.includes(".")) return null;
  return url;
}

/** Whether an address is on the public internet: not private, loopback, link-local, shared, reserved or multicast. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in IPv6 form is judged as IPv4.
  return ipaddr.process(text).range() === "unicast";
}
