/**
 * The search: `/` focuses it, the arrow keys move through the results, Enter follows one, Escape closes it. The panel
 * always ends with links to overviews, so that even a search without results leads somewhere.
 */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

const SUGGESTIONS_MAX = 5;
/** Bounds the search for an address of any length. */
const ADDRESS_MAX_CHARS = 100;

type Find = (query: string) => { id: string; page: string; heading: string }[];

/** Null until a search begins, and after a failure. */
let loading: Promise<Find | null> | null = null;

export function startSearch(): void {
  const root = document.querySelector<HTMLElement>("search");
  const input = root?.querySelector("input");
  const panel = root?.querySelector<HTMLElement>(".results-panel");
  const [status, list] = [panel?.querySelector("[role=status]"), panel?.querySelector("ul")];
  if (!root || !input || !panel || !status || !list) return;
  root.hidden = false;

  const show = async () => {
    const query = input.value.trim();
    const find = await loadIndex();
    // The query may have changed while the index was loading.
    if (query !== input.value.trim()) return;
    const results = find?.(query) ?? [];
    list.replaceChildren(...results.map(resultItem));
    status.textContent = find ? resultCount(results.length) : "The search could not be loaded. Reload the page.";
    panel.hidden = query === "";
  };
  const close = () => {
    input.value = "";
    input.blur();
    panel.hidden = true;
  };
  input.addEventListener("focus", () => void loadIndex());
  input.addEventListener("input", () => void show());
  // Safari does not focus links: the panel would be hidden before the click.
  panel.addEventListener("mousedown", (event) => event.preventDefault());
  panel.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a")) close();
  });
  root.addEventListener("focusout", ({ relatedTarget }) => {
    panel.hidden ||= !(relatedTarget instanceof Node && root.contains(relatedTarget));
  });
  root.addEventListener("keydown", (event) => {
    const stops = [input, ...panel.querySelectorAll("a")];
    const at = stops.findIndex((stop) => stop === document.activeElement);
    const step = STEPS[event.key];
    if (step !== undefined && !panel.hidden) stops.at((at + step) % stops.length)?.focus();
    else if (event.key === "Enter" && at === 0) list.querySelector("a")?.click();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    input.focus();
  });
}

/**
 * Shows what the search finds for the words of an address that does not exist.
 * @param place  gets the list
 */
export async function suggestPages(place: HTMLElement): Promise<void> {
  const words = location.pathname.slice(0, ADDRESS_MAX_CHARS).replace(/^\/docs/, "");
  const results = (await loadIndex())?.(words.replaceAll(/\W+/g, " ")).slice(0, SUGGESTIONS_MAX) ?? [];
  if (results.length === 0) return;
  const list = document.createElement("ul");
  list.append(...results.map(resultItem));
  const heading = Object.assign(document.createElement("h2"), { textContent: "Similar pages" });
  place.append(heading, list);
}

function loadIndex(): Promise<Find | null> {
  loading ??= Promise.all([import("./search.ts"), fetch("/docs/search.json").then((response) => response.json())])
    .then(([{ find, searchIndex }, entries]) => {
      const index = searchIndex(entries);
      return (query: string) => find(index, query);
    })
    .catch(() => (loading = null));
  return loading;
}

function resultItem({ id, page, heading }: ReturnType<Find>[number]): HTMLLIElement {
  const link = Object.assign(document.createElement("a"), { href: id });
  link.append(Object.assign(document.createElement("strong"), { textContent: heading }));
  if (page !== heading) link.append(" ", Object.assign(document.createElement("span"), { textContent: page }));
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function resultCount(count: number): string {
  if (count === 0) return "No results. Try other words, or begin with one of these pages.";
  return count === 1 ? "1 result" : `${count} results`;
}
