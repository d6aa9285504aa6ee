/** The search box: a combobox whose options are links. `/` focuses it, arrows choose, Enter goes, Escape leaves. */
import { find, type IndexEntry } from "./search.ts";

export function startSearch(): void {
  const search = document.querySelector("search");
  const input = search?.querySelector("input");
  const panel = search?.querySelector<HTMLElement>(".found");
  const list = panel?.querySelector<HTMLElement>("[role=listbox]");
  const status = panel?.querySelector<HTMLElement>("[role=status]");
  if (!search || !input || !panel || !list || !status) return;

  let index: Promise<IndexEntry[]> | undefined;
  let chosen = -1;

  const options = () => [...list.querySelectorAll("a")];

  function open(isOpen: boolean): void {
    panel?.toggleAttribute("hidden", !isOpen);
    input?.setAttribute("aria-expanded", String(isOpen));
    choose(-1);
  }

  function choose(next: number): void {
    chosen = next;
    for (const [position, option] of options().entries()) {
      option.setAttribute("aria-selected", String(position === chosen));
      if (position === chosen) option.scrollIntoView({ block: "nearest" });
    }
    const id = options()[chosen]?.id;
    if (id) input?.setAttribute("aria-activedescendant", id);
    else input?.removeAttribute("aria-activedescendant");
  }

  async function show(query: string): Promise<void> {
    index ??= loadIndex();
    const entries = await index.catch(() => {
      index = undefined;
      return null;
    });
    // The answer to an older query comes too late.
    if (!list || !status || input?.value !== query) return;
    const found = find(entries ?? [], query);
    list.replaceChildren(...found.map(optionFor));
    list.hidden = found.length === 0;
    status.textContent = entries ? resultCount(found.length) : "The search could not be loaded.";
    open(query.trim() !== "");
  }

  input.addEventListener("focus", () => void (index ??= loadIndex()).catch(() => (index = undefined)));
  input.addEventListener("input", () => void show(input.value));
  input.addEventListener("keydown", (event) => {
    const { length } = options();
    if (event.key === "ArrowDown" && length > 0) choose((chosen + 1) % length);
    else if (event.key === "ArrowUp" && length > 0) choose((Math.max(chosen, 0) - 1 + length) % length);
    else if (event.key === "Enter") options()[Math.max(chosen, 0)]?.click();
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
  });
  search.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && search.contains(relatedTarget))) open(false);
  });
  list.addEventListener("click", leave);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    input.focus();
  });

  function leave(): void {
    if (input) input.value = "";
    list?.replaceChildren();
    open(false);
    input?.blur();
  }

  search.hidden = false;
}

async function loadIndex(): Promise<IndexEntry[]> {
  const response = await fetch("/docs/search.json");
  if (!response.ok) throw new Error(`The index answers ${response.status}`);
  return response.json();
}

function optionFor({ path, page, heading }: IndexEntry, position: number): HTMLElement {
  const option = document.createElement("a");
  option.id = `result-${position}`;
  option.role = "option";
  option.href = path;
  option.tabIndex = -1;
  option.append(Object.assign(document.createElement("strong"), { textContent: heading }));
  if (page !== heading) option.append(Object.assign(document.createElement("span"), { textContent: page }));
  return option;
}

function resultCount(count: number): string {
  return count === 0 ? "Nothing found." : `${count} ${count === 1 ? "result" : "results"}`;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
