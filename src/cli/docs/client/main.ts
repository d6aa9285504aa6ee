/**
 * Script of the documentation's pages, which also work without it. It adds the search, copy buttons, forms to try
 * operations and the cost calculator. It remembers the language of samples, and shows the reader's own host in them.
 */
import { withOwnHost } from "../../../core/deployment/sample-host.ts";

const LANGUAGE_STORAGE = "docs-language";
const NOTICE_MS = 2_000;
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

const SUGGESTIONS_MAX = 5;
/** Bounds the search for an address of any length. */
const ADDRESS_MAX_CHARS = 100;

type Find = (query: string) => { id: string; page: string; heading: string }[];

/** Null until a search begins, and after a failure. */
let loading: Promise<Find | null> | null = null;

showOwnHost();
startSampleLanguages();
addCopyButtons();
startSearch();
markCurrentSection();

for (const details of document.querySelectorAll<HTMLDetailsElement>(".try-it")) {
  details.hidden = false;
  const start = () =>
    import("./try-it.ts").then(
      ({ startTryIt }) => startTryIt(details),
      () => details.append("The form could not be loaded. Reload the page and try again."),
    );
  details.addEventListener("toggle", start, { once: true });
}
const calculator = document.querySelector<HTMLFormElement>("form.calculator");
if (calculator) void import("./cost-calculator.ts").then(({ startCostCalculator }) => startCostCalculator(calculator));

const notFound = document.getElementById("page-not-found")?.parentElement;
if (notFound) void suggestPages(notFound);

// On narrow screens, the table of contents covers the text that its links lead to, so a click closes it.
const contents = document.getElementById("contents");
contents?.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLAnchorElement && contents.matches(":popover-open")) contents.hidePopover();
});

/** Shows samples with the host that serves this page, so that they can be pasted and run. */
function showOwnHost(): void {
  for (const code of document.querySelectorAll("pre code")) {
    const own = withOwnHost(code.innerHTML, location.origin);
    if (own !== code.innerHTML) code.innerHTML = own;
  }
}

/** @returns null if the browser forbids it: then nothing is remembered, and the page still works */
function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/** The choice of a language applies to all samples and is remembered. */
function startSampleLanguages(): void {
  const choose = (language: string | null | undefined) => {
    for (const input of document.querySelectorAll<HTMLInputElement>(".samples input")) {
      if (input.value === language) input.checked = true;
    }
  };
  choose(storage()?.getItem(LANGUAGE_STORAGE));
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement && target.matches(".samples input"))) return;
    // The height of other samples may change, which must not move this one from under the reader.
    const before = target.getBoundingClientRect().top;
    choose(target.value);
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: "instant" });
    storage()?.setItem(LANGUAGE_STORAGE, target.value);
  });
}

/** Adds a copy button to each block of code. */
function addCopyButtons(): void {
  // Browsers offer the clipboard only on pages loaded over HTTPS or from localhost.
  if (!("clipboard" in navigator)) return;
  for (const block of document.querySelectorAll("pre")) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      const copied = navigator.clipboard.writeText(block.querySelector("code")?.textContent ?? "");
      button.textContent = await copied.then(
        () => "Copied",
        () => "Copy failed",
      );
      setTimeout(() => (button.textContent = "Copy"), NOTICE_MS);
    });
    block.append(button);
  }
}

/** Marks the current section in the table of contents. */
function markCurrentSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("#contents a")];
  let current: HTMLAnchorElement | undefined;
  const update = () => {
    const isPassed = ({ hash }: HTMLAnchorElement) =>
      (document.getElementById(decodeURIComponent(hash.slice(1)))?.getBoundingClientRect().top ?? 0) <= innerHeight / 4;
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const next = links.findLast((link) => atEnd || isPassed(link)) ?? links[0];
    if (!next || next === current) return;
    current?.removeAttribute("aria-current");
    next.setAttribute("aria-current", "location");
    current = next;
    // Not scrollIntoView, which would move the page too.
    const list = next.closest("nav");
    if (list) list.scrollTop = next.offsetTop - list.clientHeight / 2;
  };
  addEventListener("scroll", update, { passive: true });
  addEventListener("resize", update);
  update();
}

/**
 * The search: `/` focuses it, the arrow keys move through the results, Enter follows one, Escape closes it. The panel
 * always ends with links to overviews, so that even a search without results leads somewhere.
 */
function startSearch(): void {
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
async function suggestPages(place: HTMLElement): Promise<void> {
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
