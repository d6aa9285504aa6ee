/** Texts of visitors in the form in which they are compared and counted. Pure. */

/** A BCP 47 tag in canonical case (`DE-ch` is `de-CH`); null when the text is none. */
export function canonicalLanguage(tag: string): string | null {
  if (!/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$/.test(tag)) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** Hosts are compared and counted without a leading `www.` and the root's trailing dot. */
export function withoutWww(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^www\.(?=.+\.)/, "");
}
