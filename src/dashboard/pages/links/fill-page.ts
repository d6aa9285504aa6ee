/**
 * One page of links on the screen. The API looks through a bounded number of links at a time, so its pages may be short
 * or empty although more follow: they are put together until the screen is full, in a bounded number of requests.
 */
import type { Link, LinkPage } from "../../../core/contract/contract.ts";

/** Each looks through some thousands of links; then whoever searches is asked whether to go on. */
export const REQUESTS_MAX = 10;

export interface FilledPage {
  links: Link[];
  /** Where to go on; null when there is nothing more. */
  next: string | null;
}

/**
 * @param readPage  asks the API for at most so many links after a cursor
 * @param onRequest  is told the number of each request before it is sent
 */
export async function fillPage(
  readPage: (cursor: string | null, limit: number) => Promise<LinkPage>,
  cursor: string | null,
  pageSize: number,
  onRequest: (request: number) => void,
): Promise<FilledPage> {
  const links: Link[] = [];
  let next = cursor;
  for (let request = 1; request <= REQUESTS_MAX; request++) {
    onRequest(request);
    const page = await readPage(next, pageSize - links.length);
    links.push(...page.data);
    next = page.next_cursor;
    if (next === null || links.length >= pageSize) break;
  }
  return { links, next };
}
