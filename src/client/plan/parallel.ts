/** @param atOnce  calls in flight @returns the results in the order of the items @throws what the first call that fails does */
export async function inParallel<Item, Result>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // A loop that throws ends a generator, and so the loops beside it: nothing is begun after a failure.
  const waiting = (function* () {
    yield* items.entries();
  })();
  const worker = async () => {
    for (const [i, item] of waiting) results[i] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
