/** Announcements of screen readers while a rule is dragged. */
import type { DndContextProps, UniqueIdentifier } from "@dnd-kit/core";

import { ruleTexts as texts } from "../../../texts/rules.ts";

/** @param positionOf  from 1 */
export function dragAnnouncements(
  positionOf: (id: UniqueIdentifier) => number,
  count: number,
): NonNullable<DndContextProps["accessibility"]> {
  const place = (id: UniqueIdentifier) => texts.place(positionOf(id), count);
  return {
    screenReaderInstructions: { draggable: texts.dragInstructions },
    announcements: {
      onDragStart: ({ active }) => texts.pickedUp(place(active.id)),
      onDragOver: ({ over }) => (over ? texts.wouldGo(place(over.id)) : texts.wouldStay),
      onDragEnd: ({ over }) => (over ? texts.putDown(place(over.id)) : texts.putBack),
      onDragCancel: () => texts.putBack,
    },
  };
}
