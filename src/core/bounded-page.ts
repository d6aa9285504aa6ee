/** Pages limited by the number of items and by their total size. Pure. */

export interface PageBounds {
  items: number;
  weight: number;
}

/**
 * The longest prefix of `items` within both limits, but at least one item, so that an oversized one cannot block the
 * list.
 */
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
