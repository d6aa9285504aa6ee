/** Paginated lists: iterate over items or pages with `for await`. No request is sent before that. */
import type { QueryValue, RequestOptions, Transport } from "./transport.ts";

interface Page<Item> {
  data: Item[];
}

type Cursor = string | number;

export class List<Item, P extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  readonly #readPage: (cursor?: Cursor) => Promise<P>;
  readonly #cursorAfter: (page: P) => Cursor | null;

  /** @param cursorAfter  where the next page begins; null after the last one */
  constructor(readPage: (cursor?: Cursor) => Promise<P>, cursorAfter: (page: P) => Cursor | null) {
    this.#readPage = readPage;
    this.#cursorAfter = cursorAfter;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** A page may be empty even if more follow. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    for (let cursor: Cursor | null | undefined; cursor !== null;) {
      const page: P = await this.#readPage(cursor);
      yield page;
      cursor = this.#cursorAfter(page);
    }
  }

  /** Returns all items, for lists that fit in memory. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const page of this.pages()) items.push(...page.data);
    return items;
  }
}

type Query = Readonly<Record<string, QueryValue>>;

export function listOf<P extends Page<unknown> & { next_cursor: string | null }>(
  api: Transport,
  path: readonly string[],
  query: Query,
  options?: RequestOptions,
): List<P["data"][number], P> {
  const read = (cursor = query["cursor"]) => api.json<P>({ method: "GET", path, query: { ...query, cursor } }, options);
  return new List(read, ({ next_cursor }) => next_cursor);
}

/** The last page of clicks also contains a cursor, from which to continue later. */
export function clickListOf<P extends Page<unknown> & { has_more: boolean; next_after: Cursor | null }>(
  api: Transport,
  path: readonly string[],
  query: Query,
  options?: RequestOptions,
): List<P["data"][number], P> {
  const read = (after = query["after"]) => api.json<P>({ method: "GET", path, query: { ...query, after } }, options);
  return new List(read, ({ has_more, next_after }) => (has_more ? next_after : null));
}
