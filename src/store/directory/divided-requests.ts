/**
 * Requests on links in several databases. Each database involved gets one transaction with its share of the response
 * (request-shares.ts). Without an `Idempotency-Key`, a failure in one database does not undo the changes in the others.
 * A transaction that fails because of a concurrent request is planned again.
 */
import { ApiError } from "../../core/errors.ts";
import { bucketOf } from "../../core/links/buckets.ts";
import { countingBulkLinks } from "../accounts/quotas.ts";
import type { Caller } from "../accounts/api-keys.ts";
import type { LinkRow } from "../links/link-rows.ts";
import { answerInTime, UnavailableError, writtenInTime, signalOf } from "../timeout.ts";
import { type IdempotentRequest, insertResponseStatements, KeyConflictError } from "./idempotency.ts";
import {
  costOf,
  type Done,
  type DoneItems,
  type LinksRequest,
  MAX_TRIES,
  payloadOf,
  type RequestPart,
  withPlanned,
} from "./links-request.ts";
import { claimKey, readShares, releaseClaim, type ShareEntry, shareStatement } from "./request-shares.ts";

export class DividedRequest<Outcome> {
  readonly #env: Env;
  readonly #caller: Caller;
  readonly #request: LinksRequest<Outcome>;
  readonly #key: IdempotentRequest | null;
  #done: (Done<Outcome> | undefined)[] = [];
  /** Whether a request without a key has been counted; one with a key is counted with its claim. */
  #isCounted = false;
  /** Whether this attempt has claimed the key, or found the claim of an earlier attempt or of a copy. */
  #claim: "none" | "own" | "found" = "none";

  constructor(env: Env, caller: Caller, request: LinksRequest<Outcome>) {
    this.#env = env;
    this.#caller = caller;
    this.#request = request;
    this.#key = request.idempotentRequest ?? null;
  }

  async run(): Promise<DoneItems<Outcome>> {
    try {
      for (let attempt = 1; ; attempt++) {
        if (await this.#try(attempt >= MAX_TRIES)) return this.#done;
        if (attempt > MAX_TRIES) throw new UnavailableError("copies of this request keep running before it");
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.#hasDone()) throw new UnavailableError(`a part of the request is done: ${error.message}`);
      if (this.#key && this.#claim === "own") await releaseClaim(this.#env, this.#caller, this.#key);
      throw error;
    }
  }

  /** @returns whether every item has its outcome */
  async #try(isLastTry: boolean): Promise<boolean> {
    const parts = await answerInTime(this.#request.plan((position) => this.#done[position] !== undefined)).catch(
      // The plan reserves addresses, which another request may take first.
      async (error: unknown) => void (await this.#request.replan(error, isLastTry)),
    );
    if (!parts) return false;
    const planned = withPlanned(this.#done, parts);
    const cost = costOf(this.#request, parts);
    if (!this.#key) {
      if (!this.#isCounted) await this.#count(cost);
      return this.#commit(parts, null, isLastTry);
    }
    const payload = payloadOf(this.#request, planned);
    if (payload === null) return this.#refuse(this.#key, planned);
    if (this.#claim === "none") {
      this.#claim = (await claimKey(this.#env, this.#caller, this.#key, payload, cost)) ? "own" : "found";
      if (this.#claim === "found") {
        await this.#takeShares(this.#key);
        return false;
      }
    }
    if (!(await this.#commit(parts, payload, isLastTry))) return false;
    // Fails (`UNIQUE`) when a copy of the request has stored its own response.
    await this.#env.DB.batch(insertResponseStatements(this.#env, this.#caller, this.#key, payload));
    return true;
  }

  async #count(cost: number | null): Promise<void> {
    await countingBulkLinks(this.#env, this.#caller, cost, async ([count]) => count && writtenInTime(count.run()));
    this.#isCounted = true;
  }

  /** A copy of the request may have succeeded at something this one found impossible, such as using a slug. */
  async #refuse(key: IdempotentRequest, planned: DoneItems<Outcome>): Promise<boolean> {
    if (this.#claim !== "none") {
      await this.#takeShares(key);
      if (this.#hasDone()) return false;
    }
    if (this.#claim === "own") await releaseClaim(this.#env, this.#caller, key);
    this.#done = [...planned];
    return true;
  }

  #hasDone(): boolean {
    return this.#done.some((each) => each !== undefined);
  }

  /** @throws KeyConflictError when the request is complete or another one has the key: `replay` answers both */
  async #takeShares(key: IdempotentRequest): Promise<void> {
    const { isClaimed, response, results } = await readShares(this.#env, this.#caller, key);
    if (!isClaimed || response) throw new KeyConflictError("a copy of the request has its response");
    for (const [position, stored] of results) this.#done[position] ??= { stored };
  }

  /** @returns whether all parts are done */
  async #commit(parts: readonly RequestPart<Outcome>[], payload: unknown, isLastTry: boolean): Promise<boolean> {
    const isWhole = parts.length === 1 && !this.#hasDone();
    const commits = parts.map(async (part) => {
      const statements = [...this.#shareStatements(part, isWhole ? payload : null), ...part.statements];
      const results = statements.length === 0 ? [] : await writtenInTime(part.database.batch<LinkRow>(statements));
      for (const { position, outcome } of part.items) this.#done[position] = { outcome };
      this.#request.committed?.(results.flatMap((result) => result.results));
    });
    const failures = (await Promise.allSettled(commits)).flatMap((commit) =>
      commit.status === "rejected" ? [commit.reason as unknown] : [],
    );
    if (failures.length === 0) return true;
    await this.#replanAll(failures, isLastTry);
    if (this.#key) await this.#takeShares(this.#key);
    return false;
  }

  /** @param payload  the whole response, if it follows from this part alone */
  #shareStatements({ database, items }: RequestPart<Outcome>, payload: unknown): D1PreparedStatement[] {
    if (!this.#key) return [];
    const { stored } = this.#request;
    const results = items.map(({ position, outcome }): ShareEntry => [position, stored?.ofItem(outcome, position)]);
    const share = payload === null ? results : { response: payload };
    const buckets = items.map(({ key }) => bucketOf(key));
    return [shareStatement(database, this.#caller, this.#key, share, buckets)];
  }

  /** Throws errors other than refusals first: they do not show whether the transaction took effect. */
  async #replanAll(failures: readonly unknown[], isLastTry: boolean): Promise<void> {
    const thrown: unknown[] = [];
    for (const failure of failures) {
      if (this.#key && signalOf(failure) === "key_claimed") continue;
      try {
        await this.#request.replan(failure, isLastTry);
      } catch (error) {
        thrown.push(error);
      }
    }
    if (thrown.length > 0) throw thrown.find((error) => !(error instanceof ApiError)) ?? thrown[0];
  }
}
