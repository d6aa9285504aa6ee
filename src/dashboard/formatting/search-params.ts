/** The query string of the page's address. Pure. */

/** Sets these parameters, or removes those that are null. Parameters of the page's other parts stay as they are. */
export function withParams(search: URLSearchParams, params: Record<string, string | null>): URLSearchParams {
  const written = new URLSearchParams(search);
  for (const [name, value] of Object.entries(params)) {
    if (value === null) written.delete(name);
    else written.set(name, value);
  }
  return written;
}
