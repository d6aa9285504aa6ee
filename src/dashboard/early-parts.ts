/**
 * Parts whose code the entry script loaded before React ran. `React.lazy` shows its fallback even for code that is there,
 * and React then keeps that fallback for some 300 ms; a part found here is rendered at once.
 */
const earlyParts = new Map<string, unknown>();

/** A failure is left to the part itself, which loads again. */
export function loadEarly(name: string, load: () => Promise<{ default: unknown }>): void {
  load().then(
    (part) => earlyParts.set(name, part.default),
    () => {},
  );
}

/** Undefined when it was not asked for, or is not there yet. */
export function earlyPart(name: string): unknown {
  return earlyParts.get(name);
}
