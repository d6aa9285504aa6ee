/** The selected links of one page. Pure. */

export interface Selection {
  ids: ReadonlySet<string>;
  /** The last link that was ticked or cleared: a range begins here. */
  anchor: string | null;
}

export const NOTHING_SELECTED: Selection = { ids: new Set(), anchor: null };

export function toggleOne({ ids }: Selection, id: string): Selection {
  return { ids: withState(ids, [id], !ids.has(id)), anchor: id };
}

/** With Shift: all links between the anchor and this one get this one's new state. */
export function toggleRange(selection: Selection, page: readonly string[], id: string): Selection {
  const from = selection.anchor === null ? -1 : page.indexOf(selection.anchor);
  const to = page.indexOf(id);
  if (from === -1 || to === -1) return toggleOne(selection, id);
  const range = page.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: withState(selection.ids, range, !selection.ids.has(id)), anchor: id };
}

/** Selects the page, or clears it if all of it is selected. */
export function togglePage({ ids }: Selection, page: readonly string[]): Selection {
  return { ids: withState(ids, page, !page.every((id) => ids.has(id))), anchor: null };
}

function withState(ids: ReadonlySet<string>, changed: readonly string[], isSelected: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  for (const id of changed) {
    if (isSelected) next.add(id);
    else next.delete(id);
  }
  return next;
}
