/** The script of the pages. They work without it; it adds the search and buttons to copy code. */
import { addCopyButtons } from "./copy-buttons.ts";
import { startSearch } from "./search-box.ts";

startSearch();
addCopyButtons();

// On narrow screens the table of contents lies over the text that its links lead to.
const contents = document.getElementById("contents");
contents?.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLAnchorElement && contents.matches(":popover-open")) contents.hidePopover();
});
