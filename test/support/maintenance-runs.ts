/** The maintenance object's work, run by tests themselves: its alarms use the real clock. */
import { MaintenanceRuns } from "../../src/maintenance/run-maintenance.ts";

/** Runs until nothing is due. @returns when something will be, epoch ms; null without work */
export async function maintainUntilIdle(env: Env): Promise<number | null> {
  const runs = new MaintenanceRuns();
  for (;;) {
    const next = await runs.run(env);
    if (next === null || next > Date.now()) return next;
  }
}
