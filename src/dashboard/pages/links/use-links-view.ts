/** The view of the list in the URL, and how it changes. */
import { useSearchParams } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";

import {
  type LinksDialog,
  type LinksView,
  type PagePosition,
  parseLinksView,
  parseTrail,
  printLinksView,
} from "./links-view.ts";
import { changeLinksView } from "./links-view.ts";

export interface LinksViewState {
  view: LinksView;
  /** Pages before this one, first to last. Empty on the first page, and where the address was opened directly. */
  trail: readonly PagePosition[];
  change: (change: Partial<Pick<LinksView, "filters" | "sort" | "size">>) => void;
  goToNext: (position: PagePosition) => void;
  goToPrevious: () => void;
  openDialog: (dialog: LinksDialog) => void;
  closeDialog: () => void;
}

export function useLinksView(): LinksViewState {
  const [params, setParams] = useSearchParams();
  const view = parseLinksView(params);
  const trail = parseTrail(useHistoryState());
  const show = (next: LinksView, replace: boolean, nextTrail: readonly PagePosition[] = trail) =>
    setParams(printLinksView(next), { replace, state: { trail: nextTrail } });
  return {
    view,
    trail,
    change: (change) => show(changeLinksView(view, change), true, []),
    goToNext: (position) => show({ ...view, position }, false, [...trail, view.position]),
    goToPrevious: () => {
      const previous = trail.at(-1);
      show(previous ? { ...view, position: previous } : changeLinksView(view, {}), false, trail.slice(0, -1));
    },
    openDialog: (dialog) => show({ ...view, dialog }, false),
    closeDialog: () => show({ ...view, dialog: null }, true),
  };
}
