/**
 * Files with which apps claim links of a domain, at the paths where Apple and Google read them. Their contents are the
 * owner's; the service checks only their sizes.
 */

export const WELL_KNOWN_FILES = ["apple-app-site-association", "assetlinks.json"] as const;

export type WellKnownFile = (typeof WELL_KNOWN_FILES)[number];

/** JSON, by file. */
export interface WellKnown {
  "apple-app-site-association"?: Record<string, unknown> | undefined;
  "assetlinks.json"?: unknown[] | undefined;
}

/** Apple also reads its file at the root, where a link may be. */
const FILES_BY_PATH: ReadonlyMap<string, WellKnownFile> = new Map([
  ...WELL_KNOWN_FILES.map((name) => [`.well-known/${name}`, name] as const),
  ["apple-app-site-association", "apple-app-site-association"],
]);

/** @param path  without its first slash */
export function wellKnownFileAt(path: string): WellKnownFile | null {
  return FILES_BY_PATH.get(path) ?? null;
}
