/** A copy of the list with one item moved; unchanged when an index is out of range. Pure. */
export function moveItem<T>(list: readonly T[], from: number, to: number): T[] {
  const item = list[from];
  return item === undefined || to < 0 || to >= list.length ? [...list] : list.toSpliced(from, 1).toSpliced(to, 0, item);
}
