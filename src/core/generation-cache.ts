/**
 * A map bounded by weight. Entries live in a young generation; when that is full it becomes the old one and the old
 * one goes. What is in use is copied forward and survives, a flood of new keys costs bounded memory, and a hit costs
 * one look-up without bookkeeping. Pure.
 */
export class GenerationCache<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  #weight = 0;
  readonly #maxWeight: number;
  readonly #weigh: (value: V) => number;

  /** @param maxWeight  of one generation; twice that is the most there is at a time */
  constructor(maxWeight: number, weigh: (value: V) => number = () => 1) {
    this.#maxWeight = maxWeight;
    this.#weigh = weigh;
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
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

  delete(key: string): void {
    const young = this.#young.get(key);
    if (young !== undefined) this.#weight -= this.#weigh(young);
    this.#young.delete(key);
    this.#old.delete(key);
  }
}

/** Remembers a pure function's answers for up to twice `maxEntries` inputs. */
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
