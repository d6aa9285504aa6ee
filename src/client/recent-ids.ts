/** The last ids that were seen, as many as a service could send again. */
const IDS_MAX = 1_000;

export class RecentIds {
  readonly #ids = new Set<string>();

  /** @returns whether it is new */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > IDS_MAX) for (const oldest of this.#ids) return this.#ids.delete(oldest);
    return true;
  }
}
