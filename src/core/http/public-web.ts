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

/** Recognizes images by their first bytes. */

/** The server's declared type is not trusted: other kinds of bytes would be served from this service's host. */
const SIGNATURES: readonly { type: string; at: number; bytes: readonly number[] }[] = [
  { type: "image/png", at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: "image/jpeg", at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: "image/x-icon", at: 0, bytes: [0x00, 0x00, 0x01, 0x00] },
  // "RIFF", four bytes of length, "WEBP".
  { type: "image/webp", at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

/** @returns null for anything but the types above, including SVG, which is a document with scripts */
export function imageTypeOf(bytes: Uint8Array): string | null {
  return SIGNATURES.find(({ at, bytes: wanted }) => wanted.every((byte, i) => bytes[at + i] === byte))?.type ?? null;
}
