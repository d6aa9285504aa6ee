/**
 * Returns the focus when a dialog or menu takes it away: to the element that had it before, or to the page's heading.
 * Mantine does so only for dialogs that stay rendered while they are closed, and not if a menu's item opened the dialog.
 */

const OVERLAYS = "[role=dialog], [role=alertdialog], [role=menu], [role=listbox]";
const TRAIL_MAX = 10;
const PAGE_CHOICE_MS = 100;

/** Elements outside of dialogs and menus that have had the focus, newest first. */
let trail: Element[] = [];
/** Whether the focus was last in a dialog or menu. */
let isInOverlay = false;
/** The control that lost the focus because it is disabled while its request runs. */
let waiting: Element | null = null;
/** What has had the focus since a dialog or menu closed. It may be gone once the page shows what the dialog changed. */
let returned: Element | null = null;

export function watchFocus(): void {
  let last: Element | null = null;
  document.addEventListener("focusin", ({ target, relatedTarget }) => {
    if (!(target instanceof Element)) return;
    last = target;
    const wasInOverlay = isInOverlay;
    isInOverlay = target.closest(OVERLAYS) !== null;
    returned = wasInOverlay && !isInOverlay ? target : null;
    if (!isInOverlay) trail = [target, ...trail.filter((one) => one !== target)].slice(0, TRAIL_MAX);
    // Nothing had the focus.
    else if (!wasInOverlay && relatedTarget === null) trail = [];
  });
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      if (!target.matches(":disabled")) resumeFocus(target);
      else if (target === last) waiting = target;
    }
  }).observe(document.body, { attributeFilter: ["disabled"], subtree: true });
  new MutationObserver(returnFocus).observe(document.body, { childList: true, subtree: true });
}

/** Unless the focus has moved on. In a dialog, `returnFocus` may have moved it to the dialog itself. */
function resumeFocus(control: HTMLElement): void {
  if (control !== waiting) return;
  waiting = null;
  const { activeElement, body } = document;
  const isLost = activeElement === body || (activeElement?.matches(OVERLAYS) && activeElement.contains(control));
  if (isLost) control.focus({ preventScroll: true });
}

function returnFocus(): void {
  if (document.activeElement !== document.body) return;
  if (isInOverlay) focusBefore();
  else if (returned?.isConnected === false) {
    returned = null;
    // The page may choose a better place, such as the next row.
    setTimeout(() => document.activeElement === document.body && focusBefore(), PAGE_CHOICE_MS);
  }
}

function focusBefore(): void {
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
