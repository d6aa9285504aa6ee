/** A list whose rules are sorted by drag and drop, with a pointer or the keyboard. */
import { closestCenter, DndContext, type DragEndEvent, PointerSensor, useSensor, useSensors } from "@dnd-kit/core";
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from "@dnd-kit/sortable";
import type { ReactNode } from "react";

import { ruleTexts as texts } from "../../../texts/rules.ts";
import type { RuleForm } from "./rule-form.ts";
import classes from "./rules.module.css";
import { dragAnnouncements } from "./drag-announcements.ts";
import { PromptKeyboardSensor } from "./prompt-keyboard-sensor.ts";

interface SortableRulesProps {
  rules: readonly RuleForm[];
  onMove: (from: number, to: number) => void;
  children: ReactNode;
}

export function SortableRules({ rules, onMove, children }: SortableRulesProps) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(PromptKeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
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
          {children}
        </ol>
      </SortableContext>
    </DndContext>
  );
}
