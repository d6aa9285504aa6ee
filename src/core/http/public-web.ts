/**
 * What the service may fetch on behalf of people: pages and images on the public web. A URL or an address inside the
 * operator's network (server-side request forgery, SSRF) is refused. Pure.
 */
import ipaddr from "ipaddr.js";

import { parseUrl } from "../hosts.ts";

const REFERENCE_MAX_CHARS = 2_048;

/**
 * The URL when it may be fetched as far as its text shows; where its host leads is checked after DNS has answered. Host
 * names alone: no web page for people lives at a bare address, and no port but the usual ones, so that no other service
 * of a machine is reached.
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

/** Whether an address is one of the public internet: not private, loopback, link-local, shared, reserved or multicast. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in IPv6's clothes is judged as what it is.
  return ipaddr.process(text).range() === "unicast";
}

/** Recognises images by their first bytes. */

/** The type that a server claims is not believed: bytes of another kind would be served from this service's host. */
const SIGNATURES: readonly { type: string; at: number; bytes: readonly number[] }[] = [
  { type: "image/png", at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: "image/jpeg", at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", at: 0, bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: "image/x-icon", at: 0, bytes: [0x00, 0x00, 0x01, 0x00] },
  // "RIFF", four bytes of length, "WEBP".
  { type: "image/webp", at: 8, bytes: [0x57, 0x45, 0x42, 0x50] },
];

/** @returns null for anything but the kinds above; SVG, which is a document with scripts, is none of them */
export function imageTypeOf(bytes: Uint8Array): string | null {
  return SIGNATURES.find(({ at, bytes: wanted }) => wanted.every((byte, i) => bytes[at + i] === byte))?.type ?? null;
}
