/** Whether colours are shown. Pure. */
import picocolors from "picocolors";

export type Colors = ReturnType<typeof picocolors.createColors>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * As https://no-color.org and https://force-color.org say; without either, on a terminal that can.
 * @internal
 */
export function hasColors({ NO_COLOR, FORCE_COLOR, TERM }: Environment, isTerminal: boolean): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTerminal && TERM !== "dumb";
}

export function colorsFor(environment: Environment, isTerminal: boolean): Colors {
  return picocolors.createColors(hasColors(environment, isTerminal));
}
