/** Countries' flags by ISO 3166-1 alpha-2 code: small SVGs from the same host. The browser loads only those shown. */
const FLAG_URLS = import.meta.glob<string>("../../../../../node_modules/country-flag-icons/3x2/*.svg", {
  query: "?url",
  import: "default",
  eager: true,
});

export const flagUrls: ReadonlyMap<string, string> = new Map(
  Object.entries(FLAG_URLS).map(([path, url]) => [path.slice(-6, -4), url]),
);
