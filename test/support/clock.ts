/** The clock of tests, Worker and objects, which share one isolate. Timers still use the real one. */
import { vi } from "vitest";

/** Stops the clock at an instant; calling it again moves it. `vi.useRealTimers()` lets it run. */
export function freezeClockAt(at: string | number): void {
  const ms = typeof at === "number" ? at : Date.parse(at);
  if (vi.isFakeTimers()) vi.setSystemTime(ms);
  else vi.useFakeTimers({ toFake: ["Date"], now: ms });
}
