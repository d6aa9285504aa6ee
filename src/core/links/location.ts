/**
 * The `Location` of a redirect: a destination is stored as it was typed, a header holds a URI of RFC 3986. Encodes what
 * is no URI and leaves the rest as it is: nothing is sorted, shortened or decoded. Pure.
 */

/** Only characters of a URI, each `%` before two hex digits, one `#` at most. Linear: no two parts match the same text. */
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
