/** Addresses of requests. Pure. */

export type QueryValue = string | number | boolean | readonly string[] | undefined;

/**
 * @param path  behind `/v1`; ids may hold anything
 * @throws TypeError when a segment is empty or dots, which would lead to another resource
 */
export function urlOf(
  baseUrl: string,
  path: readonly (string | number)[],
  query: Readonly<Record<string, QueryValue>> = {},
): string {
  return `${baseUrl}/v1/${path.map(segmentOf).join("/")}${searchOf(query)}`;
}

function segmentOf(part: string | number): string {
  const text = String(part);
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${text}" is no id`);
  return encodeURIComponent(text);
}

function searchOf(query: Readonly<Record<string, QueryValue>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of typeof value === "object" ? value : [value]) search.append(name, String(one));
  }
  const text = String(search);
  return text && `?${text}`;
}

/** Several values of one filter, as statistics take them: with commas between them. */
export function joinedFilters<Query extends object>(query: Query): Record<string, QueryValue> {
  const join = (value: QueryValue) => (typeof value === "object" ? value.map(escapeFilter).join(",") : value);
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, join(value as QueryValue)]));
}

function escapeFilter(value: string): string {
  return value.replace(/[\\,]/g, "\\$&");
}
