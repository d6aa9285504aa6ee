/** The library's keyboard sensor, listening at once. */
import { KeyboardSensor, type KeyboardSensorProps } from "@dnd-kit/core";

/**
 * The library begins to listen after a timer, which browsers run after keys that were pressed in the meantime: those
 * would scroll the page instead of moving what was picked up.
 */
export class PromptKeyboardSensor extends KeyboardSensor {
  constructor(props: KeyboardSensorProps) {
    super(props);
    const listeners = this["listeners"];
    listeners.add("keydown", (event: KeyboardEvent) => {
      // The key that picks up is on its way to this listener.
      if (event !== props.event) this["handleKeyDown"](event);
    });
    // The timer would add a second listener, or one that stays when the rule has been put down by then.
    listeners.add = () => {};
  }
}
