/**
 * What the service may fetch on behalf of people: pages on the public web. A URL or an address inside the operator's
 * network (server-side request forgery, SSRF) is refused. Pure.
 */
import ipaddr from "ipaddr.js";

import { parseUrl } from "../untrusted-url.ts";

/**
 * The URL when it may be fetched as far as its text shows; where its host leads is checked after DNS has answered. Host
 * names alone: no web page for people lives at a bare address, and no port but the usual ones, so that no other service
 * of a machine is reached.
 */
export function fetchableUrl(text: string, base?: URL): URL | null {
  const url = base ? URL.parse(text, base.href) : parseUrl(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  if (url.port !== "" || url.username !== "" || url.password !== "") return null;
  const hostname = url.hostname.replace(/\.$/, "");
  if (hostname.startsWith("[") || ipaddr.isValid(hostname) || !hostname.includes(".")) return null;
  return url;
}

/** Whether an address is one of the public internet: not private, loopback, link-local, shared, reserved or multicast. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in IPv6's clothes is judged as what it is.
  return ipaddr.process(text).range() === "unicast";
}
