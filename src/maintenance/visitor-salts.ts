/**
 * The salts for hashing visitors, one per UTC day for the whole deployment. They are kept in Workers KV until 48 hours
 * after their day began: data erased in D1 or in an object can be restored for 30 days. This object creates them, since
 * there is only one. All isolates must use the same salt on a day, and they read it from KV as soon as it is stored. So
 * the object records a day before it stores the day's salt, and never replaces one that KV may have. A cron job creates
 * the next day's salt, so that every location has it before the day begins: a location that reads too early shows none
 * for a minute.
 */
import { DAY_MS, utcDay } from "../core/time.ts";
import { readStoredSalt, SALT_BYTES, saltKey } from "../store/maintenance-client.ts";
import { withTimeout } from "../store/timeout.ts";
import { saltDays, type VisitorSalt } from "../core/visitors/visitor-hashes.ts";

const KEPT_DAYS = 2;
/** A location that reads a key before it exists may report it as missing for another minute. */
const MISSING_MAX_MS = 90_000;
const KV_TIMEOUT_MS = 5_000;

export class VisitorSaltTable {
  readonly #sql: SqlStorage;
  readonly #keys: KVNamespace;
  readonly #salts = new Map<number, Uint8Array>();
  /** Salts by day that may not be stored, because the call failed. */
  readonly #unstored = new Map<number, Uint8Array>();
  #reading: Promise<VisitorSalt[]> | null = null;

  constructor(sql: SqlStorage, keys: KVNamespace) {
    this.#sql = sql;
    this.#keys = keys;
    // `missing_since`, epoch ms: when the salt was sent to KV, or not found there; null once stored or found.
    sql.exec("CREATE TABLE IF NOT EXISTS salt_days (day INTEGER PRIMARY KEY, missing_since INTEGER) STRICT");
  }

  /** Creates the salts of today and tomorrow unless they are known to be stored. @param now  epoch ms */
  async prepare(now: number): Promise<void> {
    const sql = "SELECT count(*) AS days FROM salt_days WHERE missing_since IS NULL AND day >= ?";
    if (this.#sql.exec<{ days: number }>(sql, utcDay(now)).one().days < 2) await this.read(now);
  }

  /**
   * Returns the salts needed now: of today, tomorrow, and for some minutes of yesterday. Creates missing ones; omits
   * any that cannot be read or stored now. Concurrent calls share one run, so that two do not create different salts.
   * @param now  epoch ms
   */
  read(now: number): Promise<VisitorSalt[]> {
    return (this.#reading ??= this.#read(now).finally(() => {
      this.#reading = null;
    }));
  }

  async #read(now: number): Promise<VisitorSalt[]> {
    const days = saltDays(now);
    this.#forget(days[0] ?? 0);
    const salts: VisitorSalt[] = [];
    for (const day of days) {
      const salt = this.#salts.get(day) ?? (await this.#readOrMake(day, now).catch(reportFailure));
      if (!salt) continue;
      this.#salts.set(day, salt);
      salts.push({ day, salt });
    }
    return salts;
  }

  async #readOrMake(day: number, now: number): Promise<Uint8Array | null> {
    if (this.#unstored.has(day)) return this.#make(day, now);
    const sql = "SELECT missing_since AS missingSince FROM salt_days WHERE day = ?";
    const [noted] = this.#sql.exec<{ missingSince: number | null }>(sql, day);
    // KV may have a salt although its day is not recorded, or storing it was interrupted: isolates may have read it.
    const stored = await withTimeout(KV_TIMEOUT_MS, readStoredSalt(this.#keys, day));
    if (stored) {
      if (noted?.missingSince !== null) this.#note(day, null);
      return stored;
    }
    if (noted) {
      if (noted.missingSince === null) this.#note(day, now);
      if (now - (noted.missingSince ?? now) < MISSING_MAX_MS) return null;
      console.error("visitors count twice today: the day's salt was lost, and another one made", { day: saltKey(day) });
    }
    return this.#make(day, now);
  }

  /** A failed call may still store the salt later, so the next one stores the same salt. */
  async #make(day: number, now: number): Promise<Uint8Array> {
    this.#note(day, now);
    const salt = this.#unstored.get(day) ?? crypto.getRandomValues(new Uint8Array(SALT_BYTES));
    this.#unstored.set(day, salt);
    // workerd's `expiration`, in seconds since 1970, has 31 bits, which end in 2038.
    const expirationTtl = Math.floor(((day + KEPT_DAYS) * DAY_MS - now) / 1000);
    await withTimeout(KV_TIMEOUT_MS, this.#keys.put(saltKey(day), salt, { expirationTtl }));
    this.#note(day, null);
    this.#unstored.delete(day);
    return salt;
  }

  /** @param missingSince  see the table */
  #note(day: number, missingSince: number | null): void {
    this.#sql.exec("INSERT OR REPLACE INTO salt_days (day, missing_since) VALUES (?, ?)", day, missingSince);
  }

  #forget(firstDay: number): void {
    for (const known of [this.#salts, this.#unstored]) {
      for (const day of known.keys()) if (day < firstDay) known.delete(day);
    }
    this.#sql.exec("DELETE FROM salt_days WHERE day < ?", firstDay);
  }
}

function reportFailure(error: unknown): null {
  console.error("no salt for visitors", { error: String(error) });
  return null;
}
