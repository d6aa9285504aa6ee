/**
 * Asks for confirmation before a link of the dashboard, or closing the page, leaves unsaved changes. The back button
 * cannot be intercepted; use-rule-draft.ts keeps the draft until the window is closed.
 */
import { modals } from "@mantine/modals";
import { createElement, useEffect } from "react";
import { useLocation } from "wouter";

export function useUnsavedChangesGuard(isDirty: boolean): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!isDirty) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const anchor = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!(anchor instanceof HTMLAnchorElement) || !isInternalNavigation(anchor, event)) return;
      event.preventDefault();
      event.stopPropagation();
      confirmLeaving(() => navigate(`~${anchor.pathname}${anchor.search}`));
    };
    window.addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, true);
    return () => {
      window.removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, true);
    };
  }, [isDirty, navigate]);
}

/** Whether the click opens another page of the dashboard in this window. */
function isInternalNavigation(anchor: HTMLAnchorElement, event: MouseEvent): boolean {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const isInside = anchor.origin === location.origin && anchor.pathname.startsWith("/dashboard");
  return isPlain && isInside && anchor.target === "" && anchor.pathname !== location.pathname;
}

function confirmLeaving(leave: () => void): void {
  modals.openConfirmModal({
    title: "Leave without saving?",
    children: createElement(
      "p",
      null,
      "The rules on this page were changed and not saved. They are kept until you close this window.",
    ),
    labels: { confirm: "Leave", cancel: "Stay" },
    onConfirm: leave,
  });
}
