/** Announcements of screen readers while a rule is dragged. */
import type { DndContextProps, UniqueIdentifier } from "@dnd-kit/core";

/** @param positionOf  from 1 */
export function dragAnnouncements(
  positionOf: (id: UniqueIdentifier) => number,
  count: number,
): NonNullable<DndContextProps["accessibility"]> {
  const positionText = (id: UniqueIdentifier) => `place ${positionOf(id)} of ${count}`;
  return {
    screenReaderInstructions: {
      draggable:
        "Press Space to pick this rule up, the arrow keys to move it, Space again to put it down, Escape to leave it where it was.",
    },
    announcements: {
      onDragStart: ({ active }) => `Picked up the rule at ${positionText(active.id)}.`,
      onDragOver: ({ over }) => (over ? `It would go to ${positionText(over.id)}.` : "It would stay where it was."),
      onDragEnd: ({ over }) => (over ? `Put down at ${positionText(over.id)}.` : "Put back where it was."),
      onDragCancel: () => "Put back where it was.",
    },
  };
}
