/**
 * Asks for confirmation before unsaved changes leave the page: when a dashboard link, a key, Back or a mode switch leaves
 * it, or the window is closed. Browsers let Back be stopped only after an input on the page, and some never do.
 */
import { createElement, useEffect } from "react";
import { useLocation } from "wouter";

import { askToConfirm } from "../notifications.ts";

interface LeavingTexts {
  title: string;
  warning: string;
  leave: string;
  stay: string;
  isLoss?: boolean;
}

/** Texts of what is currently guarded: a page, and a dialog on it. */
const activeTexts: LeavingTexts[] = [];

/** Leaves the page immediately, or once confirmed. For navigation without a link. */
export function leavePage(leave: () => void, texts = activeTexts.at(-1)): void {
  if (texts && activeTexts.length > 0) confirmLeaving(texts, leave);
  else leave();
}

/**
 * @param texts  keep the object stable: a new one re-registers the listeners
 * @param asksOnClose  whether closing the window asks, too
 */
export function useLeavingGuard(isActive: boolean, texts: LeavingTexts, asksOnClose = true): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!isActive) return;
    activeTexts.push(texts);
    let isLeaving = false;
    const onUnload = (event: BeforeUnloadEvent) => asksOnClose && event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const anchor = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!(anchor instanceof HTMLAnchorElement) || !isInternalNavigation(anchor, event)) return;
      event.preventDefault();
      event.stopPropagation();
      confirmLeaving(texts, () => navigate(`~${anchor.pathname}${anchor.search}`));
    };
    const onNavigate = (event: NavigateEvent) => {
      if (isLeaving || event.defaultPrevented || event.navigationType !== "traverse" || !event.cancelable) return;
      event.preventDefault();
      const { key } = event.destination;
      confirmLeaving(texts, () => {
        isLeaving = true;
        window.navigation.traverseTo(key);
      });
    };
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener("beforeunload", onUnload, { signal });
    window.navigation?.addEventListener("navigate", onNavigate, { signal });
    document.addEventListener("click", onClick, { capture: true, signal });
    return () => {
      activeTexts.splice(activeTexts.indexOf(texts), 1);
      listening.abort();
    };
  }, [isActive, asksOnClose, texts, navigate]);
}

/** Whether the click opens another page of the dashboard in this window. */
function isInternalNavigation(anchor: HTMLAnchorElement, event: MouseEvent): boolean {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const isInside = anchor.origin === location.origin && anchor.pathname.startsWith("/dashboard");
  return isPlain && isInside && anchor.target === "" && anchor.pathname !== location.pathname;
}

let isAsking = false;

export function confirmLeaving({ title, warning, leave, stay, isLoss }: LeavingTexts, onConfirm: () => void): void {
  if (isAsking) return;
  isAsking = true;
  askToConfirm({
    title,
    children: createElement("p", null, warning),
    labels: { confirm: leave, cancel: stay },
    cancelProps: { "data-autofocus": true },
    ...(isLoss && { confirmProps: { color: "red.9" } }),
    onConfirm,
    // The key that closes the question also reaches the dialog below it, which must not ask again.
    onClose: () => setTimeout(() => (isAsking = false)),
  });
}
