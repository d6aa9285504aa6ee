/** The URL that a redirect leads to: a destination as a `Location` header, and with the visitor's query. Pure. */
import { FORWARDED_QUERY_MAX_CHARS } from "../limits.ts";

/**
 * The `Location` of a redirect: a destination is stored as it was typed, a header holds a URI of RFC 3986. Encodes what
 * is no URI and leaves the rest as it is: nothing is sorted, shortened or decoded.
 *
 * Only characters of a URI, each `%` before two hex digits, one `#` at most. Linear: no two parts match the same
 * text.
 */
const URI =
  /^[\w\-.~:/?@!$&'()*+,;=]*(?:%[\dA-Fa-f]{2}[\w\-.~:/?@!$&'()*+,;=]*)*(?:#[\w\-.~:/?@!$&'()*+,;=]*(?:%[\dA-Fa-f]{2}[\w\-.~:/?@!$&'()*+,;=]*)*)?$/;

/** A `%` that encodes nothing, or characters that no URI has. The host keeps the brackets of IPv6. */
const NOT_IN_HOST = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?@!$&'()*+,;=%[\]]+/g;
const NOT_IN_REST = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?@!$&'()*+,;=%]+/g;

/** @param url  a destination: absolute, http or https */
export function locationOf(url: string): string {
  return URI.test(url) ? url : encodedLocation(url);
}

function encodedLocation(url: string): string {
  const hostStart = url.indexOf("//") + 2;
  const hostLength = url.slice(hostStart).search(/[/?#\\]/);
  const hostEnd = hostLength < 0 ? url.length : hostStart + hostLength;
  const fragmentStart = url.indexOf("#", hostEnd);
  const restEnd = fragmentStart < 0 ? url.length : fragmentStart;
  const fragment = fragmentStart < 0 ? "" : `#${encode(url.slice(fragmentStart + 1), NOT_IN_REST)}`;
  return asciiOrigin(url.slice(0, hostEnd)) + encode(url.slice(hostEnd, restEnd), NOT_IN_REST) + fragment;
}

/** DNS knows a host name in other letters by its A-labels only. */
function asciiOrigin(origin: string): string {
  // oxlint-disable-next-line no-control-regex -- the range is ASCII itself
  const ascii = /^[\x00-\x7f]*$/.test(origin) ? origin : (URL.parse(origin)?.origin ?? origin);
  return encode(ascii, NOT_IN_HOST);
}

function encode(text: string, illegal: RegExp): string {
  // encodeURIComponent throws on half a surrogate pair.
  return text.toWellFormed().replace(illegal, encodeURIComponent);
}

/** Names the code that was scanned, or tries to. */
const QR_PARAMETER = "qr";

/** A `%` that encodes nothing, or what no parameter holds. Some servers take `;` for `&`. */
const NOT_IN_PARAMETER = /%(?![\dA-Fa-f]{2})|[^\w\-.~!$'()*,=:@/?+%]+/g;

/**
 * Adds a visitor's query parameters to a destination, for links with `forward_query`. What a visitor sends can neither
 * replace a parameter of the destination nor leave its query. Linear in both.
 * @param search  of the visit, without the question mark
 * @returns the destination itself when nothing is added
 */
export function withVisitorQuery(destination: string, search: string): string {
  if (search === "") return destination;
  const fragment = destination.indexOf("#");
  const end = fragment < 0 ? destination.length : fragment;
  const start = destination.indexOf("?");
  const hasQuery = start >= 0 && start < end;
  const added = parametersToAdd(hasQuery ? destination.slice(start + 1, end) : "", search);
  if (added === "") return destination;
  const separator = !hasQuery ? "?" : start + 1 === end || destination[end - 1] === "&" ? "" : "&";
  return destination.slice(0, end) + separator + added + destination.slice(end);
}

/** The visitor's parameters as they were sent, joined. Those that do not fit are left out whole. */
function parametersToAdd(own: string, search: string): string {
  const taken = new Set([...namesOf(own), QR_PARAMETER]);
  const names = namesOf(search);
  let added = "";
  for (const [i, part] of partsOf(search).entries()) {
    if (taken.has(names[i] ?? "")) continue;
    const parameter = (added && "&") + part.toWellFormed().replace(NOT_IN_PARAMETER, encodeURIComponent);
    if (added.length + parameter.length <= FORWARDED_QUERY_MAX_CHARS) added += parameter;
  }
  return added;
}

function partsOf(search: string): string[] {
  return search.split("&").filter((part) => part !== "");
}

/** The decoded name of each part. URLSearchParams would take a question mark off the first one, but for the `&`. */
function namesOf(search: string): string[] {
  return [...new URLSearchParams(`&${search}`).keys()];
}
