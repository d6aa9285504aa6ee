/**
 * The search box: a combobox whose options are links. `/` focuses it, the arrow keys choose, Enter follows a link,
 * Escape closes it.
 */
import { find, type IndexEntry } from "./search.ts";

export function startSearch(): void {
  const root = document.querySelector("search");
  if (root) new SearchBox(root);
}

class SearchBox {
  readonly #root: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #panel: HTMLElement;
  readonly #list: HTMLElement;
  readonly #status: HTMLElement;
  /** Null until a search begins, and after a failure. */
  #index: Promise<IndexEntry[] | null> | null = null;
  #options: HTMLAnchorElement[] = [];
  #chosen = -1;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#input = required<HTMLInputElement>(root, "input");
    this.#panel = required(root, ".results-panel");
    this.#list = required(root, "[role=listbox]");
    this.#status = required(root, "[role=status]");
    this.#listen();
    root.hidden = false;
  }

  #listen(): void {
    this.#input.addEventListener("focus", () => void this.#entries());
    this.#input.addEventListener("input", () => void this.#show(this.#input.value));
    this.#input.addEventListener("keydown", (event) => {
      if (this.#press(event.key)) event.preventDefault();
    });
    this.#list.addEventListener("click", () => this.#close());
    this.#root.addEventListener("focusout", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.#root.contains(relatedTarget))) this.#open(false);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      this.#input.focus();
    });
  }

  /** @returns whether the key was handled */
  #press(key: string): boolean {
    const { length } = this.#options;
    if (key === "ArrowDown" && length > 0) this.#choose((this.#chosen + 1) % length);
    else if (key === "ArrowUp" && length > 0) this.#choose((Math.max(this.#chosen, 0) - 1 + length) % length);
    else if (key === "Enter") this.#options[Math.max(this.#chosen, 0)]?.click();
    else if (key === "Escape") this.#close();
    else return false;
    return true;
  }

  async #show(query: string): Promise<void> {
    const entries = await this.#entries();
    // The query may have changed while the index was loading.
    if (this.#input.value !== query) return;
    this.#options = find(entries ?? [], query).map(optionFor);
    this.#list.replaceChildren(...this.#options);
    this.#list.hidden = this.#options.length === 0;
    this.#status.textContent = entries ? resultCount(this.#options.length) : "The search could not be loaded.";
    this.#open(query.trim() !== "");
  }

  #entries(): Promise<IndexEntry[] | null> {
    this.#index ??= loadIndex().catch(() => (this.#index = null));
    return this.#index;
  }

  #open(isOpen: boolean): void {
    this.#panel.hidden = !isOpen;
    this.#input.setAttribute("aria-expanded", String(isOpen));
    this.#choose(-1);
  }

  #choose(index: number): void {
    this.#chosen = index;
    for (const [i, option] of this.#options.entries()) option.ariaSelected = String(i === index);
    this.#options[index]?.scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", this.#options[index]?.id ?? "");
  }

  #close(): void {
    this.#input.value = "";
    this.#open(false);
    this.#input.blur();
  }
}

/** @throws when the page lacks it */
function required<E extends HTMLElement>(root: HTMLElement, selector: string): E {
  const found = root.querySelector<E>(selector);
  if (!found) throw new Error(`The search has no ${selector}`);
  return found;
}

async function loadIndex(): Promise<IndexEntry[]> {
  const response = await fetch("/docs/search.json");
  if (!response.ok) throw new Error(`The index answers ${response.status}`);
  return response.json();
}

function optionFor({ path, page, heading }: IndexEntry, position: number): HTMLAnchorElement {
  const option = document.createElement("a");
  Object.assign(option, { id: `result-${position}`, role: "option", href: path, tabIndex: -1 });
  option.append(Object.assign(document.createElement("strong"), { textContent: heading }));
  if (page !== heading) option.append(Object.assign(document.createElement("span"), { textContent: page }));
  return option;
}

function resultCount(count: number): string {
  if (count === 0) return "Nothing found.";
  return count === 1 ? "1 result" : `${count} results`;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
