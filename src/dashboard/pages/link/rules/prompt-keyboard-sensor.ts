/** The library's keyboard sensor, listening at once, and answering a key once the one before it is seen. */
import { KeyboardSensor, type KeyboardSensorProps } from "@dnd-kit/core";

/** The keys that mean something while a rule is picked up. */
const KEYS = ["Space", "Enter", "Tab", "Escape", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

/**
 * The library begins to listen after a timer, which browsers run after keys that were pressed in the meantime: those
 * would scroll the page instead of moving what was picked up. It also moves from the places of the last render, so that
 * keys which come faster than those would find nothing to move, or put a rule down where it was: they wait a frame each.
 */
export class PromptKeyboardSensor extends KeyboardSensor {
  readonly #waiting: KeyboardEvent[] = [];

  constructor(props: KeyboardSensorProps) {
    super(props);
    const listeners = this["listeners"];
    listeners.add("keydown", (event: KeyboardEvent) => {
      // The key that picks up is on its way to this listener.
      if (event !== props.event) this.#enqueue(event);
    });
    // The timer would add a second listener, or one that stays when the rule has been put down by then.
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

  /** The first frame draws what the last key did, the second comes after its effects. */
  #schedule(): void {
    requestAnimationFrame(() => requestAnimationFrame(() => this.#answer()));
  }

  #answer(): void {
    const [event] = this.#waiting;
    if (!event) return;
    this["handleKeyDown"](event);
    this.#waiting.shift();
    if (this.#waiting.length > 0) this.#schedule();
  }
}
