/** Sorts a list of rules by drag and drop, with a pointer or the keyboard. */
import {
  closestCenter,
  DndContext,
  type DndContextProps,
  type DragEndEvent,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { SortableContext, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { VisuallyHidden } from "@mantine/core";
import { createContext, type KeyboardEvent, type ReactNode, use, useState } from "react";

import { ruleTexts as texts } from "../../../texts/rules.ts";
import type { RuleForm } from "./rule-form.ts";
import classes from "./rules.module.css";

/** Tells screen readers where a rule is. */
const Announcer = createContext<(message: string) => void>(() => {});

interface SortableRulesProps {
  rules: readonly RuleForm[];
  onMove: (from: number, to: number) => void;
  children: ReactNode;
}

export function SortableRules({ rules, onMove, children }: SortableRulesProps) {
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 4 } }));
  const [message, announce] = useState("");
  const indexOf = (id: unknown) => rules.findIndex((rule) => rule.id === id);
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    if (over && active.id !== over.id) onMove(indexOf(active.id), indexOf(over.id));
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={onDragEnd}
      accessibility={dragAnnouncements((id) => indexOf(id) + 1, rules.length)}
    >
      <SortableContext items={rules.map(({ id }) => id)} strategy={verticalListSortingStrategy}>
        <ol className={classes.list} aria-label={texts.list}>
          <Announcer value={announce}>{children}</Announcer>
        </ol>
      </SortableContext>
      <VisuallyHidden role="status">{message}</VisuallyHidden>
    </DndContext>
  );
}

/** @param positionOf  counted from 1 */
function dragAnnouncements(
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

const STEPS: Partial<Record<string, -1 | 1>> = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };

/**
 * The keys of a rule's handle. The library's own keyboard sensor uses the positions of the last frame, so that faster keys
 * move nothing: here, each key moves the rule in the list.
 */
export function useMoveKeys(index: number, count: number, move: (by: number) => void) {
  const announce = use(Announcer);
  /** Where the rule was picked up; null if it is not. */
  const [origin, setOrigin] = useState<number | null>(null);
  const putDown = (message: string) => {
    setOrigin(null);
    announce(message);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { code } = event;
    const to = Math.min(Math.max(0, index + (STEPS[code] ?? 0)), count - 1);
    const isToggle = code === "Space" || code === "Enter";
    if (origin === null) {
      if (!isToggle) return;
      setOrigin(index);
      announce(texts.pickedUp(texts.place(index + 1, count)));
    } else if (STEPS[code]) {
      move(to - index);
      announce(to === index ? texts.wouldStay : texts.wouldGo(texts.place(to + 1, count)));
    } else if (code === "Escape") {
      move(origin - index);
      putDown(texts.putBack);
    } else if (isToggle || code === "Tab") putDown(texts.putDown(texts.place(index + 1, count)));
    else return;
    event.preventDefault();
  };
  return { isPickedUp: origin !== null, handle: { onKeyDown, onBlur: () => setOrigin(null) } };
}
