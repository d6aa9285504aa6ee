/** Calls to the maintenance object, which continues work that requests have begun (src/maintenance). */
import { regionOf } from "../core/deployment/settings.ts";
import type { MetricCounts, MetricsReport } from "../core/metrics/metrics.ts";
import type { VisitorSalt } from "../core/visitors/visitor-hashes.ts";

export type ScheduledJob = "minute" | "day";

/** A single object: its work is small batches, one after another. */
const OBJECT_NAME = "maintenance";

type MaintenanceEnv = Pick<Env, "MAINTENANCE" | "REGION">;

function maintenanceObject(env: MaintenanceEnv) {
  return env.MAINTENANCE.getByName(OBJECT_NAME, regionOf(env));
}

/**
 * Schedules a run at `at`, epoch ms. Never throws: if the call fails, the cron job wakes the object within a minute.
 */
export async function wakeMaintenance(env: MaintenanceEnv, at: number): Promise<void> {
  try {
    await maintenanceObject(env).wake(at);
  } catch (error) {
    console.warn("maintenance not woken", { error: String(error) });
  }
}

/**
 * Runs a cron job in the object: loading its code takes more CPU than the 10 ms that Workers' Free plan gives the Worker.
 * @throws when the object cannot be reached or the job fails; the next run makes up for it
 */
export async function runScheduled(env: Env, job: ScheduledJob): Promise<void> {
  await maintenanceObject(env).runScheduled(job);
}

/** Adds an isolate's counts to those of the deployment. @returns when to report again, in ms */
export async function sendReport(env: Env, report: MetricsReport): Promise<number> {
  return (await maintenanceObject(env).addMetrics(report)).intervalMs;
}

/** The salts of visitors' hashes that are needed now. @throws when the object, or where it keeps them, does not answer */
export async function readVisitorSalts(env: Env): Promise<VisitorSalt[]> {
  return maintenanceObject(env).visitorSalts();
}

/** All that isolates have reported from `from` on, epoch ms. @throws when the object does not answer */
export async function readMetrics(env: Env, from: number): Promise<MetricCounts> {
  return maintenanceObject(env).readMetrics(from);
}
