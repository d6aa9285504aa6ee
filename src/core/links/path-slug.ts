/** The slug in the path of a short URL. Runs on redirects. Pure. */

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
