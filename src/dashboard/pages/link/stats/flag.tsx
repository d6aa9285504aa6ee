/** A country's flag: a small SVG from the same host. The browser loads only the flags that are shown. */
const FLAG_URLS = import.meta.glob<string>("../../../../../node_modules/country-flag-icons/3x2/*.svg", {
  query: "?url",
  import: "default",
  eager: true,
});

const urlsByCode = new Map(Object.entries(FLAG_URLS).map(([path, url]) => [path.slice(-6, -4), url]));

/** @param code  ISO 3166-1 alpha-2 */
export default function Flag({ code }: { code: string }) {
  const url = urlsByCode.get(code);
  return url === undefined ? null : <img src={url} alt="" width={18} height={12} loading="lazy" decoding="async" />;
}
