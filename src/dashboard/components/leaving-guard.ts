/**
 * Asks for confirmation before unsaved changes are lost: when a dashboard link, a key or a mode switch leaves the page,
 * or the window is closed. The back button cannot be intercepted.
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
  /** Keep the object stable: a new one re-registers the listeners. */
  texts: LeavingTexts;
}

/** Texts of the page that is currently guarded. */
let activeTexts: LeavingTexts | null = null;

/** Leaves the page immediately, or once confirmed. For navigation without a link. */
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
