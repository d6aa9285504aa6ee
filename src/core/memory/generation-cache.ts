/**
 * A map bounded by weight. New entries go to a young generation; when it is full it replaces the old one, whose entries
 * are dropped. Entries read from the old generation are copied to the young one, so hot keys survive; memory stays
 * bounded when many new keys arrive, and a hit costs one look-up without bookkeeping. Pure.
 */
export class GenerationCache<V, K = string> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;
  readonly #maxWeight: number;
  readonly #weigh: (value: V) => number;

  /** @param maxWeight  of one generation; the cache holds at most twice that */
  constructor(maxWeight: number, weigh: (value: V) => number = () => 1) {
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#weight >= this.#maxWeight) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    const replaced = this.#young.get(key);
    if (replaced !== undefined) this.#weight -= this.#weigh(replaced);
    this.#young.set(key, value);
    this.#weight += this.#weigh(value);
  }

  delete(key: K): void {
    const young = this.#young.get(key);
    if (young !== undefined) this.#weight -= this.#weigh(young);
    this.#young.delete(key);
    this.#old.delete(key);
  }
}

/** Memoises a pure function for at most twice `maxEntries` inputs. */
export function boundedMemo<T extends {} | null>(maxEntries: number, work: (input: string) => T): (input: string) => T {
  const answers = new GenerationCache<{ answer: T }>(maxEntries);
  return (input) => {
    const known = answers.get(input);
    if (known) return known.answer;
    const answer = work(input);
    answers.set(input, { answer });
    return answer;
  };
}
