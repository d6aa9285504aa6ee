/**
 * Checks the passwords that visitors of a link send. The attempts are stored, so that restarting the object frees no
 * one. They contain digests of networks, which only the deployment's secret could compute, and are replaced or deleted
 * by later attempts.
 */
import type { PasswordAttempt, PasswordResult } from "../core/clicks/protocol/link-object-rpc.ts";
import { isPasswordOf } from "../core/links/link-password.ts";
import { MINUTE_MS } from "../core/time.ts";

const ATTEMPTS_KEY = "password_attempts";

/** Right passwords have no other limit, and each takes as long to hash. More would wait longer than visitors do. */
const PASSWORDS_WAITING_MAX = 20;
const BUSY = { kind: "locked", seconds: 1, isBusy: true } as const;

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
    if (this.#waiting >= PASSWORDS_WAITING_MAX) return Promise.resolve(BUSY);
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
    if ("refusedUntil" in outcome) {
      const seconds = Math.ceil((outcome.refusedUntil - now) / 1000);
      return { kind: "locked", seconds, everyoneUntil: this.lockedUntil() };
    }
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

/** Wrong passwords of a link, by network and in total. @internal */
export const PASSWORD_ATTEMPTS_MAX = { network: 10, link: 100 } as const;
const PASSWORD_WINDOW_MS = 10 * MINUTE_MS;

/** Charged attempts in order of time: when (epoch ms), and a keyed digest of the network. */
type ChargedAttempts = readonly (readonly [at: number, network: string])[];

/** The attempts that still count. At most `PASSWORD_ATTEMPTS_MAX.link`, since more are refused. */
function countedAttempts(attempts: ChargedAttempts, now: number): ChargedAttempts {
  return attempts.filter(([at]) => at + PASSWORD_WINDOW_MS > now);
}

/** When the link accepts attempts of every network again, epoch ms; null while it does. */
function lockedUntil(attempts: ChargedAttempts, now: number): number | null {
  return fullUntil(countedAttempts(attempts, now), PASSWORD_ATTEMPTS_MAX.link);
}

/**
 * Charges an attempt: each is charged before it is checked, and taken back if it was right. Refused attempts are not
 * charged, so they do not prolong the lock.
 * @returns when the network may try again, epoch ms, if it may not now
 */
function chargeAttempt(
  attempts: ChargedAttempts,
  network: string,
  now: number,
): { charged: ChargedAttempts } | { refusedUntil: number } {
  const counted = countedAttempts(attempts, now);
  const own = counted.filter(([, other]) => other === network);
  const untils = [fullUntil(counted, PASSWORD_ATTEMPTS_MAX.link), fullUntil(own, PASSWORD_ATTEMPTS_MAX.network)].filter(
    (until) => until !== null,
  );
  return untils.length > 0 ? { refusedUntil: Math.max(...untils) } : { charged: [...counted, [now, network]] };
}

/** Undoes the last charge of a network. */
function takeBackAttempt(attempts: ChargedAttempts, network: string): ChargedAttempts {
  const last = attempts.findLastIndex(([, other]) => other === network);
  return attempts.filter((_, i) => i !== last);
}

function fullUntil(counted: ChargedAttempts, max: number): number | null {
  const oldest = counted[counted.length - max];
  return oldest ? oldest[0] + PASSWORD_WINDOW_MS : null;
}
