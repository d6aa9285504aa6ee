/**
 * Adds a visitor's query parameters to a destination, for links with `forward_query`. What a visitor sends can neither
 * replace a parameter of the destination nor leave its query. Pure; linear in both.
 */
import { FORWARDED_QUERY_MAX_CHARS } from "../limits.ts";

/** Names the code that was scanned, or tries to. */
const QR_PARAMETER = "qr";

/** A `%` that encodes nothing, or what no parameter holds. Some servers take `;` for `&`. */
const NOT_IN_PARAMETER = /%(?![\dA-Fa-f]{2})|[^\w\-.~!$'()*,=:@/?+%]+/g;

/**
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
