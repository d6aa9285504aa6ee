/**
 * Returns the focus when a dialog or menu takes it away: to the element that had it before, or to the page's heading.
 * Mantine does so only for dialogs that stay rendered while they are closed, and not if a menu's item opened the dialog.
 */

const OVERLAYS = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";
const TRAIL_MAX = 10;

/** Elements outside of dialogs and menus that have had the focus, newest first. */
let trail: Element[] = [];
/** Whether the focus was last in a dialog or menu. */
let isInOverlay = false;

export function watchFocus(): void {
  document.addEventListener("focusin", ({ target, relatedTarget }) => {
    if (!(target instanceof Element)) return;
    const wasInOverlay = isInOverlay;
    isInOverlay = target.closest(OVERLAYS) !== null;
    if (!isInOverlay) trail = [target, ...trail.filter((one) => one !== target)].slice(0, TRAIL_MAX);
    // Nothing had the focus.
    else if (!wasInOverlay && relatedTarget === null) trail = [];
  });
  new MutationObserver(returnFocus).observe(document.body, { childList: true, subtree: true });
}

function returnFocus(): void {
  if (!isInOverlay || document.activeElement !== document.body) return;
  const open = [...document.querySelectorAll<HTMLElement>("[role=dialog], [role=alertdialog]")].at(-1);
  const before = trail.find((element) => element.isConnected && element.getClientRects().length > 0);
  const next = open ?? before ?? document.querySelector("#content h1");
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  if (document.activeElement === document.body) isInOverlay = false;
}

/** Whether keys type there, so that they are no shortcuts. */
export function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])");
}
