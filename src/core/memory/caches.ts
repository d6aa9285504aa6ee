/**
 * A map bounded by weight. New entries go to a young generation. When full, it replaces the old one, whose entries are
 * dropped. Entries read from the old generation are copied to the young one, so hot keys survive. Memory stays bounded
 * when many new keys arrive, and a hit costs one lookup without bookkeeping. Pure.
 */

export class GenerationCache<V, K = string> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;
  readonly #maxWeight: number;
  readonly #weigh: (value: V) => number;

  /** @param maxWeight  limit of one generation; the cache holds at most twice that */
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

/** Computes a value when it is first needed. */
export function once<T extends {}>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

/** Memoizes a pure function for at most twice `maxEntries` inputs. */
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

/**
 * A cache for newly created strings, such as a request's headers. V8 interns such a string before it looks it up in a
 * Map, which takes longer than testing all rules of a link. So a direct-mapped cache precedes the Map. A text's slot
 * depends on its length and some of its characters, and the text in the slot is compared directly. Texts that share a
 * slot displace each other there but are still found in the Map. Pure.
 */

const SLOTS = 2_048;
/** Maximum hashed characters, so that computing the slot of a longer text takes no longer. */
const HASHED_CHARS = 16;

interface Entry<V> {
  text: string;
  value: V;
}

export class TextCache<V extends {} | null> {
  readonly #entries: GenerationCache<Entry<V>>;
  // Not created by Array.from, which takes four times as long in a starting isolate.
  readonly #slots: (Entry<V> | undefined)[] = Array<undefined>(SLOTS).fill(undefined);

  /** @param maxEntries  the cache holds at most twice that, plus those in slots */
  constructor(maxEntries: number) {
    this.#entries = new GenerationCache(maxEntries);
  }

  get(text: string): V | undefined {
    const slot = slotOf(text);
    let entry = this.#slots[slot];
    if (entry?.text !== text) {
      entry = this.#entries.get(text);
      if (entry) this.#slots[slot] = entry;
    }
    return entry?.value;
  }

  set(text: string, value: V): void {
    const entry = { text, value };
    this.#entries.set(text, entry);
    this.#slots[slotOf(text)] = entry;
  }
}

/** Memoizes a pure function for as many texts as a `TextCache` holds. */
export function textMemo<T extends {} | null>(maxEntries: number, work: (text: string) => T): (text: string) => T {
  const answers = new TextCache<T>(maxEntries);
  return (text) => {
    const known = answers.get(text);
    if (known !== undefined) return known;
    const answer = work(text);
    answers.set(text, answer);
    return answer;
  };
}

function slotOf(text: string): number {
  const step = Math.ceil(text.length / HASHED_CHARS) || 1;
  let hash = text.length;
  // Hashes from the end, where URLs differ.
  for (let i = text.length - 1; i >= 0; i -= step) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return (hash ^ (hash >>> 11) ^ (hash >>> 22)) & (SLOTS - 1);
}

interface CountedWindow {
  count: number;
  /** Start of the window, epoch ms. */
  startedAt: number;
}

/**
 * A rate limit in memory: counts events by key in fixed windows of time. Memory is bounded: with more keys than fit,
 * the least recently counted ones are dropped. Pure: the clock is an argument.
 */
export class FixedWindowLimiter {
  readonly #windows: GenerationCache<CountedWindow>;
  readonly #max: number;
  readonly #windowMs: number;

  /** @param maxKeys  limit of one generation; at most twice as many keys are kept */
  constructor({ max, windowMs, maxKeys }: { max: number; windowMs: number; maxKeys: number }) {
    this.#max = max;
    this.#windowMs = windowMs;
    this.#windows = new GenerationCache(maxKeys);
  }

  /** @returns ms until the key is allowed again; 0 when it is allowed now */
  retryAfterMs(key: string, now: number): number {
    const window = this.#windows.get(key);
    return window && window.count >= this.#max ? Math.max(window.startedAt + this.#windowMs - now, 0) : 0;
  }

  count(key: string, now: number): void {
    const window = this.#windows.get(key);
    if (window && now < window.startedAt + this.#windowMs) window.count++;
    else this.#windows.set(key, { count: 1, startedAt: now });
  }

  /** Undoes a count made at `countedAt`. Does nothing if a new window has begun since. */
  refund(key: string, countedAt: number): void {
    const window = this.#windows.get(key);
    if (window && window.count > 0 && countedAt >= window.startedAt) window.count--;
  }
}
