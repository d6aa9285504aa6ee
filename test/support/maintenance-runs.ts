/** What the maintenance object does, run by tests themselves: its alarms go by the real clock. */
import { MaintenanceRuns } from "../../src/maintenance/run-maintenance.ts";

/** Goes on until nothing is due. @returns when something will be, epoch ms; null when there is no work */
export async function maintainUntilIdle(env: Env): Promise<number | null> {
  const runs = new MaintenanceRuns();
  for (;;) {
    const next = await runs.run(env);
    if (next === null || next > Date.now()) return next;
  }
}
