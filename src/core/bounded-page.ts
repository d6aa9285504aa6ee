/** Pages bounded by what they weigh, not only by how many items they have. Pure. */

export interface PageBounds {
  items: number;
  weight: number;
}

/** As many items, from the first on, as stay within the bounds; always one if there is any. */
export function boundedPage<T>(items: Iterable<T>, max: PageBounds, weigh: (item: T) => number): T[] {
  const page: T[] = [];
  let weight = 0;
  for (const item of items) {
    weight += weigh(item);
    if (page.length > 0 && weight > max.weight) break;
    page.push(item);
    if (page.length === max.items) break;
  }
  return page;
}
