/** Passes the countries of new clicks to a map, which lights them up, without rendering the components in between. */

type Listener = (countries: readonly string[]) => void;

export class ClickLights {
  readonly #listeners = new Set<Listener>();

  show(countries: readonly string[]): void {
    for (const listener of this.#listeners) listener(countries);
  }

  /** @returns ends the subscription */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
