/** Sorts a list of rules by drag and drop, with a pointer or the keyboard. */
import {
  closestCenter,
  DndContext,
  type DndContextProps,
  type DragEndEvent,
  KeyboardSensor,
  type KeyboardSensorProps,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from "@dnd-kit/sortable";
import type { ReactNode } from "react";

import { ruleTexts as texts } from "../../../texts/rules.ts";
import type { RuleForm } from "./rule-form.ts";
import classes from "./rules.module.css";

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

/** Limits the wait after a key that moves a rule over its own place or past the list's end: nothing changes. */
const SETTLED_MAX_MS = 1_000;

/** The keys that have a function while a rule is picked up. */
const KEYS = ["Space", "Enter", "Tab", "Escape", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

/**
 * The library starts listening after a timer, which browsers run after keys pressed in the meantime: those would scroll
 * the page instead of moving the rule. It also uses the positions of the last render: faster keys would find nothing to
 * move, or put a rule down where it was. So each key waits until the effect of the one before it has been drawn.
 */
class PromptKeyboardSensor extends KeyboardSensor {
  readonly #waiting: KeyboardEvent[] = [];
  readonly #moves: { count: number };
  /** The place that the last key moved from; undefined if it moved nothing. */
  #left: UniqueIdentifier | undefined;

  constructor(props: KeyboardSensorProps) {
    const moves = { count: 0 };
    super({
      ...props,
      onMove: (to) => {
        moves.count++;
        props.onMove(to);
      },
    });
    this.#moves = moves;
    const listeners = this["listeners"];
    listeners.add("keydown", (event: KeyboardEvent) => {
      // The key that picked the rule up still reaches this listener.
      if (event !== props.event) this.#enqueue(event);
    });
    // The timer would add a second listener, or one that stays if the rule has been put down by then.
    listeners.add = () => {};
    const removeAll = listeners.removeAll;
    listeners.removeAll = () => {
      this.#waiting.length = 0;
      removeAll();
    };
  }

  #enqueue(event: KeyboardEvent): void {
    if (!KEYS.includes(event.code)) return;
    event.preventDefault();
    this.#waiting.push(event);
    if (this.#waiting.length === 1) this.#schedule();
  }

  /** The first frame draws the last key's effect, the second follows its effects, unless the browser is busy. */
  #schedule(): void {
    const until = performance.now() + SETTLED_MAX_MS;
    const look = () => {
      if (this.#isSettled() || performance.now() > until) this.#answer();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(() => requestAnimationFrame(look));
  }

  /** Whether the picked-up rule has been measured, and has left the place it was moved from. */
  #isSettled(): boolean {
    const { collisionRect, over } = this["props"].context.current;
    return collisionRect !== null && over !== null && over.id !== this.#left;
  }

  #answer(): void {
    const [event] = this.#waiting;
    if (!event) return;
    const { count } = this.#moves;
    const from = this["props"].context.current.over?.id;
    this["handleKeyDown"](event);
    this.#left = this.#moves.count > count ? from : undefined;
    this.#waiting.shift();
    if (this.#waiting.length > 0) this.#schedule();
  }
}
