/**
 * Background jobs that requests have begun: delivering link changes that an object has not confirmed, releasing custom
 * hostnames, erasing closed accounts. Each alarm does a bounded amount of work, since an invocation may make a limited
 * number of calls, and schedules the next. D1 is the queue: this object stores nothing but its alarm and may be killed
 * at any point.
 */
import { DurableObject } from "cloudflare:workers";

import { backoffMs } from "../core/backoff.ts";
import type { ScheduledJob } from "../store/maintenance-client.ts";

export class Maintenance extends DurableObject<Env> {
  /** Where the next round over the accounts continues. Lost with the instance: the round then starts again. */
  #deliveryCursor = "";
  #failures = 0;

  /** Schedules a run at `at`, epoch ms, unless an earlier one is scheduled; at once when `at` has passed. */
  async wake(at: number): Promise<void> {
    const planned = await this.ctx.storage.getAlarm();
    const wanted = Math.max(at, Date.now());
    // Each `setAlarm` is billed as a written row.
    if (planned === null || planned > wanted) await this.ctx.storage.setAlarm(wanted);
  }

  /** The cron jobs of wrangler.toml. */
  async runScheduled(job: ScheduledJob): Promise<void> {
    const { runDaily, wakeIfDue } = await import("./run-maintenance.ts");
    await (job === "minute" ? wakeIfDue(this.env) : runDaily(this.env));
  }

  override async alarm(): Promise<void> {
    const next = await this.#run();
    if (next !== null) await this.wake(next);
  }

  /** @returns when to run next, epoch ms; null when there is no work */
  async #run(): Promise<number | null> {
    try {
      // Imported lazily: a redirect loads the classes of all objects, but must not load their dependencies.
      const { runMaintenance } = await import("./run-maintenance.ts");
      const { deliveryCursor, nextRunAt } = await runMaintenance(this.env, this.#deliveryCursor);
      this.#deliveryCursor = deliveryCursor;
      this.#failures = 0;
      return nextRunAt;
    } catch (error) {
      console.error("maintenance failed", { error: String(error) });
      return Date.now() + backoffMs(++this.#failures, Math.random());
    }
  }
}
