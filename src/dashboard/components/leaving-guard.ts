/**
 * Asks for confirmation before a link of the dashboard, a key or a switch of the mode leaves the page, and before the
 * window is closed where that loses something. The back button cannot be intercepted.
 */
import { modals } from "@mantine/modals";
import { createElement, useEffect } from "react";
import { useLocation } from "wouter";

interface LeavingTexts {
  title: string;
  warning: string;
  leave: string;
  stay: string;
}

interface LeavingGuard {
  isActive: boolean;
  asksOnClose: boolean;
  /** Always the same object: the listeners are added again for another. */
  texts: LeavingTexts;
}

/** Of the page that guards itself now. */
let activeTexts: LeavingTexts | null = null;

/** Leaves the page at once, or when that is confirmed. For what is no link. */
export function leavePage(leave: () => void): void {
  if (activeTexts) confirmLeaving(activeTexts, leave);
  else leave();
}

export function useLeavingGuard({ isActive, asksOnClose, texts }: LeavingGuard): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!isActive) return;
    activeTexts = texts;
    const onUnload = (event: BeforeUnloadEvent) => asksOnClose && event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const anchor = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!(anchor instanceof HTMLAnchorElement) || !isInternalNavigation(anchor, event)) return;
      event.preventDefault();
      event.stopPropagation();
      confirmLeaving(texts, () => navigate(`~${anchor.pathname}${anchor.search}`));
    };
    window.addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, true);
    return () => {
      activeTexts = null;
      window.removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, true);
    };
  }, [isActive, asksOnClose, texts, navigate]);
}

/** Whether the click opens another page of the dashboard in this window. */
function isInternalNavigation(anchor: HTMLAnchorElement, event: MouseEvent): boolean {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const isInside = anchor.origin === location.origin && anchor.pathname.startsWith("/dashboard");
  return isPlain && isInside && anchor.target === "" && anchor.pathname !== location.pathname;
}

function confirmLeaving({ title, warning, leave, stay }: LeavingTexts, onConfirm: () => void): void {
  modals.openConfirmModal({
    title,
    children: createElement("p", null, warning),
    labels: { confirm: leave, cancel: stay },
    onConfirm,
  });
}
