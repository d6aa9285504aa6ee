/**
 * Checks the passwords that visitors of a link send. The attempts are stored, so that restarting the object frees no
 * one. They contain digests of networks, which only the deployment's secret could compute, and are replaced or deleted
 * by later attempts.
 */
import type { PasswordAttempt, PasswordResult } from "../core/clicks/protocol/link-object-rpc.ts";
import { isPasswordOf } from "../core/links/link-password.ts";
import {
  chargeAttempt,
  type ChargedAttempts,
  countedAttempts,
  lockedUntil,
  takeBackAttempt,
} from "../core/links/password-attempts.ts";

const ATTEMPTS_KEY = "password_attempts";

/** Right passwords have no other limit, and each takes as long to hash. More would wait longer than visitors do. */
const WAITING_MAX = 20;
const BUSY_SECONDS = 1;

export class PasswordChecks {
  readonly #env: Env;
  readonly #storage: DurableObjectStorage;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(env: Env, storage: DurableObjectStorage) {
    this.#env = env;
    this.#storage = storage;
  }

  /**
   * Checks one password after the other: hashing occupies the object anyway, and only this way do right passwords that
   * arrive together not fill the limit.
   * @param record  of the newest revision that is known
   */
  check(record: string, attempt: PasswordAttempt): Promise<PasswordResult> {
    if (this.#waiting >= WAITING_MAX) return Promise.resolve({ kind: "locked", seconds: BUSY_SECONDS });
    this.#waiting++;
    const checked = this.#last.then(() => this.#checkNow(record, attempt)).finally(() => this.#waiting--);
    this.#last = checked.catch(() => {});
    return checked;
  }

  lockedUntil(): number | null {
    return lockedUntil(this.#attempts(), Date.now());
  }

  async #checkNow(record: string, { password, network }: PasswordAttempt): Promise<PasswordResult> {
    const now = Date.now();
    const outcome = chargeAttempt(this.#attempts(), network, now);
    if ("refusedUntil" in outcome) return { kind: "locked", seconds: Math.ceil((outcome.refusedUntil - now) / 1000) };
    // Stored before hashing: an object that is stopped in the meantime has charged the attempt.
    this.#store(outcome.charged);
    if (!(await isPasswordOf(this.#env, record, password))) return { kind: "wrong" };
    this.#store(takeBackAttempt(countedAttempts(this.#attempts(), Date.now()), network));
    return { kind: "right" };
  }

  #attempts(): ChargedAttempts {
    return this.#storage.kv.get<ChargedAttempts>(ATTEMPTS_KEY) ?? [];
  }

  #store(attempts: ChargedAttempts): void {
    if (attempts.length > 0) this.#storage.kv.put(ATTEMPTS_KEY, attempts);
    else this.#storage.kv.delete(ATTEMPTS_KEY);
  }
}
