/**
 * Asks for confirmation before a link of the dashboard leaves unsaved changes, and before the page is closed where the
 * browser does not keep them. The back button cannot be intercepted.
 */
import { modals } from "@mantine/modals";
import { createElement, useEffect } from "react";
import { useLocation } from "wouter";

import { ruleTexts as texts } from "../../../texts/rules.ts";

export function useUnsavedChangesGuard(isDirty: boolean, isKept: boolean): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!isDirty) return;
    const onUnload = (event: BeforeUnloadEvent) => !isKept && event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const anchor = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!(anchor instanceof HTMLAnchorElement) || !isInternalNavigation(anchor, event)) return;
      event.preventDefault();
      event.stopPropagation();
      confirmLeaving(isKept, () => navigate(`~${anchor.pathname}${anchor.search}`));
    };
    window.addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, true);
    return () => {
      window.removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, true);
    };
  }, [isDirty, isKept, navigate]);
}

/** Whether the click opens another page of the dashboard in this window. */
function isInternalNavigation(anchor: HTMLAnchorElement, event: MouseEvent): boolean {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const isInside = anchor.origin === location.origin && anchor.pathname.startsWith("/dashboard");
  return isPlain && isInside && anchor.target === "" && anchor.pathname !== location.pathname;
}

function confirmLeaving(isKept: boolean, leave: () => void): void {
  modals.openConfirmModal({
    title: texts.leaveTitle,
    children: createElement("p", null, isKept ? texts.leaveKept : texts.leaveLost),
    labels: { confirm: texts.leave, cancel: texts.stay },
    onConfirm: leave,
  });
}
