/**
 * The salts under which visitors are hashed, one a UTC day for the whole deployment. They are kept in Workers KV until 48
 * hours after their day has begun: what is erased in D1 or in an object can be read back for 30 days. This object makes
 * them, since it exists once; it stores which days have one, so that no day gets a second.
 */
import { DAY_MS } from "../core/time.ts";
import { withTimeout } from "../store/timeout.ts";
import { saltDays, type VisitorSalt } from "../core/visitors/visitor-hashes.ts";

const SALT_BYTES = 16;
const KEPT_DAYS = 2;
/** A location that has looked for a key too early does not see it for a minute. */
const UNSEEN_MAX_MS = 90_000;
const KV_TIMEOUT_MS = 5_000;

export class VisitorSaltTable {
  readonly #sql: SqlStorage;
  readonly #keys: KVNamespace;
  readonly #salts = new Map<number, Uint8Array>();
  /** Since when a salt that was stored is not found, epoch ms, by day. */
  readonly #unseenSince = new Map<number, number>();
  /** Salts that nobody has got, as storing them has failed, by day. */
  readonly #unstored = new Map<number, Uint8Array>();
  #reading: Promise<VisitorSalt[]> | null = null;

  constructor(sql: SqlStorage, keys: KVNamespace) {
    this.#sql = sql;
    this.#keys = keys;
    sql.exec("CREATE TABLE IF NOT EXISTS visitor_salts (day INTEGER PRIMARY KEY, is_stored INTEGER NOT NULL) STRICT");
  }

  /**
   * The salts that are needed now, made where there is none: of today, tomorrow, and for some minutes of yesterday. One
   * that cannot be read or stored now is left out. Calls at the same time share one, so that two do not make a salt each.
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
    const [row] = this.#sql.exec<{ is_stored: number }>("SELECT is_stored FROM visitor_salts WHERE day = ?", day);
    if (!row?.is_stored) return this.#make(day);
    const stored = await withTimeout(KV_TIMEOUT_MS, this.#keys.get(keyOf(day), "arrayBuffer"));
    if (stored?.byteLength === SALT_BYTES) {
      this.#unseenSince.delete(day);
      return new Uint8Array(stored);
    }
    const unseenSince = this.#unseenSince.get(day) ?? now;
    this.#unseenSince.set(day, unseenSince);
    if (now - unseenSince < UNSEEN_MAX_MS) return null;
    console.error("visitors count twice today: the day's salt was lost, and another one made", { day: keyOf(day) });
    return this.#make(day);
  }

  /** Nobody gets the salt before it is stored. A call that has failed may store it later, so the next one stores the same. */
  async #make(day: number): Promise<Uint8Array> {
    this.#sql.exec("INSERT OR REPLACE INTO visitor_salts (day, is_stored) VALUES (?, 0)", day);
    const salt = this.#unstored.get(day) ?? crypto.getRandomValues(new Uint8Array(SALT_BYTES));
    this.#unstored.set(day, salt);
    const expiration = ((day + KEPT_DAYS) * DAY_MS) / 1000;
    await withTimeout(KV_TIMEOUT_MS, this.#keys.put(keyOf(day), salt, { expiration }));
    this.#sql.exec("UPDATE visitor_salts SET is_stored = 1 WHERE day = ?", day);
    for (const known of [this.#unstored, this.#unseenSince]) known.delete(day);
    return salt;
  }

  #forget(firstDay: number): void {
    for (const known of [this.#salts, this.#unstored, this.#unseenSince]) {
      for (const day of known.keys()) if (day < firstDay) known.delete(day);
    }
    this.#sql.exec("DELETE FROM visitor_salts WHERE day < ?", firstDay);
  }
}

function reportFailure(error: unknown): null {
  console.error("no salt for visitors", { error: String(error) });
  return null;
}

function keyOf(day: number): string {
  return `visitor-salt/${new Date(day * DAY_MS).toISOString().slice(0, 10)}`;
}
