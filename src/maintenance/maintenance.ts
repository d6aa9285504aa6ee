/**
 * Background jobs started by requests: delivering link changes that an object has not confirmed, repeating copies that
 * a database has missed, releasing custom hostnames, erasing closed accounts. Each alarm does a bounded amount of work,
 * because calls per invocation are limited, and schedules the next alarm. D1 is the queue: for this work the object
 * stores only its alarm, so it may be killed at any point. The object also stores the counts of isolates
 * (`metrics-table.ts`), and creates the salts for hashing visitors (`visitor-salts.ts`).
 */
import { retryable } from "cloudflare:durable-objects";
import { DurableObject } from "cloudflare:workers";

import { backoffMs } from "../core/retries.ts";
import type { ScheduledJob } from "../store/maintenance-client.ts";
import type { MetricCounts, MetricsReport } from "../core/metrics/metrics.ts";
import type { VisitorSalt } from "../core/visitors/visitor-hashes.ts";
import type { MetricsTable } from "./metrics-table.ts";
import type { MaintenanceRuns } from "./run-maintenance.ts";
import type { VisitorSaltTable } from "./visitor-salts.ts";

export class Maintenance extends DurableObject<Env> {
  static {
    retryable(this.prototype.wake, this.prototype.visitorSalts);
  }

  #runs: MaintenanceRuns | null = null;
  #failures = 0;
  #metrics: MetricsTable | null = null;
  #salts: VisitorSaltTable | null = null;

  /** Schedules a run at `at`, epoch ms, unless an earlier one is scheduled; runs immediately if `at` has passed. */
  async wake(at: number): Promise<void> {
    const planned = await this.ctx.storage.getAlarm();
    const wanted = Math.max(at, Date.now());
    // Each `setAlarm` is billed as a written row.
    if (planned === null || planned > wanted) await this.ctx.storage.setAlarm(wanted);
  }

  /** Runs the cron jobs of wrangler.toml. */
  async runScheduled(job: ScheduledJob): Promise<void> {
    // First, because the job fails while the database is down, and salts do not need it.
    await (await this.#saltTable())?.prepare(Date.now());
    const { runDaily, wakeIfDue } = await import("./run-maintenance.ts");
    await (job === "minute" ? wakeIfDue(this.env) : runDaily(this.env));
  }

  /** @returns when the isolate reports again, in ms */
  async addMetrics(report: MetricsReport): Promise<{ intervalMs: number }> {
    return { intervalMs: (await this.#metricsTable()).add(report, Date.now()) };
  }

  /** Returns everything that isolates have reported since `from`, epoch ms. */
  async readMetrics(from: number): Promise<MetricCounts> {
    return (await this.#metricsTable()).read(from);
  }

  /** Returns the salts of the days needed now (core/visitors/visitor-hashes.ts); none without the binding. */
  async visitorSalts(): Promise<VisitorSalt[]> {
    return (await this.#saltTable())?.read(Date.now()) ?? [];
  }

  override async alarm(): Promise<void> {
    const next = await this.#run();
    if (next !== null) await this.wake(next);
  }

  /** @returns when to run next, epoch ms; null if no work is pending */
  async #run(): Promise<number | null> {
    try {
      // Imported lazily: a redirect loads the classes of all objects, but must not load their dependencies.
      const { MaintenanceRuns } = await import("./run-maintenance.ts");
      this.#runs ??= new MaintenanceRuns();
      const next = await this.#runs.run(this.env);
      this.#failures = 0;
      return next;
    } catch (error) {
      console.error("maintenance failed", { error: String(error) });
      return Date.now() + backoffMs(++this.#failures, Math.random());
    }
  }

  async #saltTable(): Promise<VisitorSaltTable | null> {
    if (!this.env.VISITOR_SALTS) return null;
    const { VisitorSaltTable } = await import("./visitor-salts.ts");
    return (this.#salts ??= new VisitorSaltTable(this.ctx.storage.sql, this.env.VISITOR_SALTS));
  }

  async #metricsTable(): Promise<MetricsTable> {
    const { MetricsTable } = await import("./metrics-table.ts");
    return (this.#metrics ??= new MetricsTable(this.ctx.storage.sql));
  }
}
