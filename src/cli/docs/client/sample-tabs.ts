/** Shows one language of each group of samples, by tabs. The choice holds for all groups and is remembered. */

const STORAGE_KEY = "docs-language";

export function startSampleTabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>(".samples")].map(
    (element) => new SampleTabs(element, choose),
  );
  function choose(language: string): void {
    store("localStorage", STORAGE_KEY, language);
    for (const group of groups) group.show(language);
  }
  const remembered = readStored("localStorage", STORAGE_KEY);
  for (const group of groups) group.show(remembered);
}

class SampleTabs {
  readonly #panels: HTMLElement[];
  readonly #tabs: HTMLButtonElement[];

  constructor(element: HTMLElement, choose: (language: string) => void) {
    this.#panels = [...element.querySelectorAll<HTMLElement>("pre[data-language]")];
    this.#tabs = this.#panels.map((panel) => tabFor(panel, choose));
    const list = document.createElement("div");
    list.role = "tablist";
    list.ariaLabel = "Language";
    list.append(...this.#tabs);
    list.addEventListener("keydown", (event) => this.#move(event));
    element.prepend(list);
  }

  /** @param language  the first one when the group lacks it */
  show(language: string | null): void {
    const index = Math.max(
      this.#panels.findIndex(({ dataset }) => dataset["language"] === language),
      0,
    );
    for (const [i, panel] of this.#panels.entries()) panel.hidden = i !== index;
    for (const [i, tab] of this.#tabs.entries()) {
      tab.ariaSelected = String(i === index);
      tab.tabIndex = i === index ? 0 : -1;
    }
  }

  #move(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = this.#tabs.indexOf(event.target as HTMLButtonElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const next = this.#tabs[(at + step + this.#tabs.length) % this.#tabs.length];
    // The height of other groups may change, which must not move this one from under the reader.
    const before = next?.getBoundingClientRect().top ?? 0;
    next?.click();
    next?.focus({ preventScroll: true });
    scrollBy({ top: (next?.getBoundingClientRect().top ?? 0) - before, behavior: "instant" });
  }
}

function tabFor(panel: HTMLElement, choose: (language: string) => void): HTMLButtonElement {
  const language = panel.dataset["language"] ?? "";
  const tab = document.createElement("button");
  Object.assign(tab, { type: "button", role: "tab", textContent: language });
  panel.role = "tabpanel";
  panel.ariaLabel = language;
  tab.addEventListener("click", () => {
    const before = tab.getBoundingClientRect().top;
    choose(language);
    scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
  });
  return tab;
}

/** Storage of the browser that may be forbidden: then nothing is remembered, and the page works on. */
export function readStored(storage: "localStorage" | "sessionStorage", key: string): string | null {
  try {
    return window[storage].getItem(key);
  } catch {
    return null;
  }
}

export function store(storage: "localStorage" | "sessionStorage", key: string, value: string): void {
  try {
    window[storage].setItem(key, value);
  } catch {
    // Forbidden, or full.
  }
}
