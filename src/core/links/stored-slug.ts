/**
 * How slugs are read from paths and stored. Addresses are compared without regard to case (`COLLATE NOCASE`, names of objects), and most
 * slugs are stored as they were typed. Those that are matched exactly, on case-sensitive domains, are stored as their
 * lower case and a mask of their capitals: `Ab` is `~ab~1`, `aB` is `~ab~2`. So they differ where case is ignored,
 * no other slug looks like them (none has a `~`), and all that differ only in case are neighbours in the index. Pure.
 */

const MARK = "~";

/** Letters whose case one digit of the mask tells; its lowest bit is that of the first. */
const LETTERS_PER_DIGIT = 4;

/** The stored form of a slug that is matched exactly. */
export function exactSlug(slug: string): string {
  const folded = slug.toLowerCase();
  let mask = "";
  for (let start = 0; start < slug.length; start += LETTERS_PER_DIGIT) {
    let digit = 0;
    for (let i = start; i < start + LETTERS_PER_DIGIT && i < slug.length; i++) {
      if (slug[i] !== folded[i]) digit |= 1 << (i - start);
    }
    mask += digit.toString(16);
  }
  return `${MARK}${folded}${MARK}${mask}`;
}

/**
 * The forms in which the link of a typed slug may be stored: matched in any case, and exactly. What looks like a stored
 * slug was not typed as one: no link has the empty slug.
 */
export function storedForms(slug: string): [anyCase: string, exact: string] {
  return isExactSlug(slug) ? ["", ""] : [slug, exactSlug(slug)];
}

/** Whether a stored slug is matched exactly. */
export function isExactSlug(stored: string): boolean {
  return stored.startsWith(MARK);
}

/** A slug as it was typed. */
export function typedSlug(stored: string): string {
  if (!isExactSlug(stored)) return stored;
  const [, folded = "", mask = ""] = stored.split(MARK);
  return Array.from(folded, (letter, i) => {
    const digit = Number.parseInt(mask.charAt(Math.floor(i / LETTERS_PER_DIGIT)), 16);
    return (digit >> (i % LETTERS_PER_DIGIT)) & 1 ? letter.toUpperCase() : letter;
  }).join("");
}

/**
 * The stored slugs of the other kind that visitors could mean by the same letters, as a closed range: for an exact slug
 * the one that is matched in any case, else all exact ones.
 */
export function conflictingSlugs(stored: string): { from: string; to: string } {
  const slug = typedSlug(stored).toLowerCase();
  if (isExactSlug(stored)) return { from: slug, to: slug };
  return { from: `${MARK}${slug}${MARK}`, to: `${MARK}${slug}${MARK}g` };
}

/**
 * The slug in a path, which may end with a slash: mail programs and people add one. Null for a path that no slug can
 * have, which saves the database the look-ups of scanners.
 */
export function parseSlug(path: string): string | null {
  const slug = decodePath(path.endsWith("/") ? path.slice(0, -1) : path);
  return slug.length <= 64 && /^[A-Za-z0-9_-]+$/.test(slug) ? slug : null;
}

/** @returns "" where a percent sign stands for nothing */
export function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
