/**
 * Script of the documentation's pages. They work without it; it adds the search, tabs, copy buttons, forms to try
 * operations and the cost calculator, and shows the reader's own host in samples.
 */
import { addCopyButtons } from "./copy-buttons.ts";
import { startCostCalculator } from "./cost-calculator.ts";
import { markCurrentSection } from "./current-section.ts";
import { showOwnHost } from "./own-host.ts";
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
