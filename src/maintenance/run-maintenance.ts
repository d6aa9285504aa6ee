/**
 * Runs of the maintenance object. Each does one kind of work (outbox, copies, custom hostnames, closed accounts, ended
 * links, unused images), so that it has all calls of an invocation. The kinds take turns, so that none starves another. The queues are
 * tables of D1; this module stores nothing.
 */
import { earliest } from "../core/time.ts";
import { eraseClosedAccountChunk, nextAccountEraseAt } from "../store/accounts/closed-accounts.ts";
import { checkDueCopies, nextCopyCheckAt } from "../store/directory/database-checks.ts";
import { copiedAccountsMax, copyDueAccounts, nextCopyAt } from "../store/directory/home-copies.ts";
import { nextHostnameReleaseAt, releaseDueHostnames } from "../store/remote/custom-hostnames.ts";
import { wakeMaintenance } from "../store/maintenance-client.ts";
import { disableEndedLinks, nextEndedLinkAt } from "../store/links/ended-links.ts";
import { moveImagesToBucket } from "../store/images/images.ts";
import { sweepSessions } from "../store/auth/sessions.ts";
import { sweepResponses } from "../store/directory/idempotency.ts";
import { sweepOperatorTokens } from "../store/operators/operator-tokens.ts";
import { nextImageReleaseAt, releaseDueImages } from "../store/social-images.ts";
import { calledObjectsMax, deliverDue, nextDeliveryAt } from "../store/links/outbox.ts";

/** Calls to Cloudflare's API in one run; each also takes two queries. */
const RELEASES_PER_RUN_MAX = 2;

/** Does a bounded part of one kind's due work. @returns whether there was any, or may be more */
type Work = (env: Env, objectCallsMax: number) => Promise<boolean>;

/** Runs one at a time. Its state is lost with the object's instance: then everything starts over. */
export class MaintenanceRuns {
  /** The kind that the next run checks first. */
  #turn = 0;
  /** Where the next delivery continues its round over the accounts; "" at the start of one. */
  #deliveryCursor = "";

  readonly #kinds: readonly Work[] = [
    (env, objectCallsMax) => this.#deliver(env, objectCallsMax),
    async (env) => (await copyDueAccounts(env, copiedAccountsMax(env))) > 0,
    checkDueCopies,
    async (env) => (await releaseDueHostnames(env, RELEASES_PER_RUN_MAX)) > 0,
    eraseClosedAccountChunk,
    (env) => disableEndedLinks(env),
    releaseDueImages,
  ];

  /**
   * Does the work whose turn it is, or the next that is due. Every kind is idempotent: an interrupted run is repeated.
   * @returns when the next run is due, epoch ms; null if no work is pending
   * @throws when the work fails; then it is the next kind's turn
   */
  async run(env: Env): Promise<number | null> {
    const objectCallsMax = Number(env.MAINTENANCE_CALLS || calledObjectsMax(env));
    for (let looked = 0; looked < this.#kinds.length; looked++) {
      const work = this.#kinds[this.#turn];
      this.#turn = (this.#turn + 1) % this.#kinds.length;
      if (await work?.(env, objectCallsMax)) return Date.now();
    }
    return nextWorkAt(env);
  }

  /**
   * Continues to the end of a round. Work that was added before the cursor is found by its due time. Requiring a whole
   * round without work would never become idle with more accounts than one run reads.
   */
  async #deliver(env: Env, objectCallsMax: number): Promise<boolean> {
    const { deliveries, cursor } = await deliverDue(env, this.#deliveryCursor, objectCallsMax);
    this.#deliveryCursor = cursor;
    return deliveries > 0 || cursor !== "";
  }
}

/** Called by the cron job: a request's wake-up call may have failed, and an operator's command cannot call objects. */
export async function wakeIfDue(env: Env): Promise<void> {
  const at = await nextWorkAt(env);
  if (at !== null && at <= Date.now()) await wakeMaintenance(env, at);
}

/**
 * Deletes expired rows, and moves images into a newly bound bucket. Runs every step, even if one fails.
 * @throws the first error
 */
export async function runDaily(env: Env): Promise<void> {
  const done = await Promise.allSettled([
    sweepResponses(env),
    sweepSessions(env),
    sweepOperatorTokens(env),
    moveImagesToBucket(env),
  ]);
  for (const outcome of done) if (outcome.status === "rejected") throw outcome.reason;
}

/** When the next work of any kind is due, epoch ms; null when there is none. */
async function nextWorkAt(env: Env): Promise<number | null> {
  const times = await Promise.all([
    nextDeliveryAt(env),
    nextCopyAt(env),
    nextCopyCheckAt(env),
    nextHostnameReleaseAt(env),
    nextAccountEraseAt(env),
    nextEndedLinkAt(env),
    nextImageReleaseAt(env),
  ]);
  return earliest(times);
}
