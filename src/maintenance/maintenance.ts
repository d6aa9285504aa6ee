/**
 * The object that goes on with what requests began: changes that a link's object has not heard of, accounts that were
 * closed. One small piece a run, so that each run stays within what one invocation may call; then the next, while there
 * is work. D1 is the queue: this object stores nothing but its alarm, and may be killed at any point.
 */
import { DurableObject } from "cloudflare:workers";

import { backoffMs } from "../core/backoff.ts";

export class Maintenance extends DurableObject<Env> {
  /** Where the round over the accounts goes on. Lost with the instance: then it begins anew. */
  #deliveryCursor = "";
  #failures = 0;

  /** Looks for work at `at`, epoch ms, or before; at once when that is past. */
  async wake(at: number): Promise<void> {
    const planned = await this.ctx.storage.getAlarm();
    const wanted = Math.max(at, Date.now());
    // Each setting is billed as a row.
    if (planned === null || planned > wanted) await this.ctx.storage.setAlarm(wanted);
  }

  override async alarm(): Promise<void> {
    const next = await this.#run();
    if (next !== null) await this.wake(next);
  }

  /** @returns when to go on, epoch ms; null when nothing waits */
  async #run(): Promise<number | null> {
    try {
      // Loaded here, because a redirect loads the classes of all objects.
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
