/** Calls to the maintenance object, which continues work that requests have begun (src/maintenance). */
import { regionOf } from "../core/deployment/settings.ts";
import type { MetricCounts, MetricsReport } from "../core/metrics/metrics.ts";
import { DAY_MS } from "../core/time.ts";
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
 * Runs a cron job in the object: loading its code takes more CPU than the 10 ms that Workers' Free plan gives the
 * Worker.
 * @throws when the object cannot be reached or the job fails; the next run makes up for it
 */
export async function runScheduled(env: Env, job: ScheduledJob): Promise<void> {
  await maintenanceObject(env).runScheduled(job);
}

/** Adds an isolate's counts to those of the deployment. @returns when to report again, in ms */
export async function sendReport(env: Env, report: MetricsReport): Promise<number> {
  return (await maintenanceObject(env).addMetrics(report)).intervalMs;
}

export const SALT_BYTES = 16;

/**
 * Reads the salt of a UTC day. It is in Workers KV before its day begins, so that isolates that start together do not
 * all call one object. They call it only if KV has no salt, which the object then creates.
 * @returns none when no salt can be created now; may include salts of other days
 * @throws when KV or the object does not respond
 */
export async function readVisitorSalts(env: Env, day: number): Promise<VisitorSalt[]> {
  const salt = await readStoredSalt(env.VISITOR_SALTS, day);
  return salt ? [{ day, salt }] : maintenanceObject(env).visitorSalts();
}

/** @returns null if this location of KV has no salt. @throws when KV does not respond */
export async function readStoredSalt(keys: KVNamespace, day: number): Promise<Uint8Array | null> {
  const stored = await keys.get(saltKey(day), "arrayBuffer");
  return stored?.byteLength === SALT_BYTES ? new Uint8Array(stored) : null;
}

/** The key of a UTC day's salt in Workers KV. */
export function saltKey(day: number): string {
  return `visitor-salt/${new Date(day * DAY_MS).toISOString().slice(0, 10)}`;
}

/** Reads everything that isolates have reported since `from`, epoch ms. @throws when the object does not respond */
export async function readMetrics(env: Env, from: number): Promise<MetricCounts> {
  return maintenanceObject(env).readMetrics(from);
}
