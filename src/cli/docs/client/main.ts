/** Script of the documentation's pages. They work without it; it adds the search and the copy buttons. */
import { addCopyButtons } from "./copy-buttons.ts";
import { startSearch } from "./search-box.ts";

startSearch();
addCopyButtons();

// On narrow screens the table of contents covers the text that its links lead to, so a click closes it.
const contents = document.getElementById("contents");
contents?.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLAnchorElement && contents.matches(":popover-open")) contents.hidePopover();
});
