/**
 * The keys of a grouping that a scan meets, numbered in the order in which they come. Those that do not fit the memory
 * of one are `other`. Pure.
 */
import { type Grouping, GROUPING_RULES, OTHER_KEY, type RouteKeysLookup } from "./groupings.ts";
import { KEYS_MAX_CHARS } from "./stats.ts";

/** Memory of a key beside its text, in characters. */
const KEY_OVERHEAD_CHARS = 32;

export class ScanKeys {
  readonly #grouping: Grouping;
  readonly #routes: RouteKeysLookup;
  readonly #ids = new Map<string, number>();
  /** Of routes, whose keys are long to make, and of which a log has few. */
  readonly #idsByRoute = new Map<string, number>();
  #chars = 0;

  constructor(grouping: Grouping, routes: RouteKeysLookup) {
    this.#grouping = grouping;
    this.#routes = routes;
  }

  get keys(): readonly string[] {
    return [...this.#ids.keys()];
  }

  /** @param value  as stored */
  idOf(value: string): number {
    const { field, key } = GROUPING_RULES[this.#grouping];
    if (field !== "route") return this.#idOfKey(key(value, this.#routes));
    const known = this.#idsByRoute.get(value);
    if (known !== undefined) return known;
    const id = this.#idOfKey(key(value, this.#routes));
    this.#idsByRoute.set(value, id);
    return id;
  }

  #idOfKey(key: string): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    if (this.#chars >= KEYS_MAX_CHARS && key !== OTHER_KEY) return this.#idOfKey(OTHER_KEY);
    this.#chars += key.length + KEY_OVERHEAD_CHARS;
    this.#ids.set(key, this.#ids.size);
    return this.#ids.size - 1;
  }
}
