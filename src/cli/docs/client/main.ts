/**
 * Script of the documentation's pages. They work without it; it adds the search, tabs, copy buttons, forms to try
 * operations and the cost calculator, and shows the reader's own host in samples.
 */
import { withOwnHost } from "../../../core/deployment/sample-host.ts";
import { startCostCalculator } from "./cost-calculator.ts";
import { startSampleTabs } from "./sample-tabs.ts";
import { startSearch } from "./search-box.ts";
import { addTryIt } from "./try-it.ts";

showOwnHost();
startSampleTabs();
startSearch();
addCopyButtons();
addTryIt();
startCostCalculator();
markCurrentSection();

// On narrow screens the table of contents covers the text that its links lead to, so a click closes it.
const contents = document.getElementById("contents");
contents?.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLAnchorElement && contents.matches(":popover-open")) contents.hidePopover();
});

/** Shows samples with the host that serves this page, so that they can be pasted and run. */
function showOwnHost(): void {
  for (const code of document.querySelectorAll("pre code")) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const value = text.nodeValue ?? "";
      const own = withOwnHost(value, location.origin);
      if (own !== value) text.nodeValue = own;
    }
  }
}

const NOTICE_MS = 2_000;

/** Adds a copy button to each block of code. */
function addCopyButtons(): void {
  // Browsers offer the clipboard only on pages loaded over HTTPS or from localhost.
  if (!("clipboard" in navigator)) return;
  for (const block of document.querySelectorAll("pre")) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      const isCopied = await navigator.clipboard.writeText(block.querySelector("code")?.textContent ?? "").then(
        () => true,
        () => false,
      );
      button.textContent = isCopied ? "Copied" : "Not allowed";
      setTimeout(() => (button.textContent = "Copy"), NOTICE_MS);
    });
    block.append(button);
  }
}

/** Marks the section that is being read in the table of contents. */
function markCurrentSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("#contents a")];
  const sections = links.flatMap((link) => {
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return target ? [{ link, target }] : [];
  });
  if (sections.length === 0) return;
  let current: HTMLAnchorElement | undefined;
  const update = () => {
    const line = innerHeight / 4;
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const passed = sections.filter(({ target }) => target.getBoundingClientRect().top <= line);
    const next = (atEnd ? sections : passed).at(-1)?.link ?? sections[0]?.link;
    if (next === current) return;
    current?.removeAttribute("aria-current");
    next?.setAttribute("aria-current", "location");
    current = next;
    // Not scrollIntoView, which would move the page too.
    const list = next?.closest("nav");
    if (next && list) list.scrollTop = next.offsetTop - list.clientHeight / 2;
  };
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      update();
    });
  };
  addEventListener("scroll", schedule, { passive: true });
  addEventListener("resize", schedule);
  update();
}
