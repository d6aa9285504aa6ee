/**
 * Batches the database reads of an isolate: keys that requests read at the same time share one query. The number of
 * queries in flight is bounded, and keys that arrive in the meantime wait together for the next one. The load on the
 * database therefore does not grow with the number of visits. A query starts after every request in its batch has
 * arrived, so a miss is authoritative for each of them.
 *
 * The request that opens a batch leads it: it owns the I/O and passes the promise to its `waitUntil`. Only then may
 * other requests await the promise; workerd cancels requests that await it earlier as hung. If the leader's request is
 * canceled, its promise may never settle. The leader therefore renews a lease, and requests that joined read again
 * once the lease has expired.
 */
import type { LinkSnapshot } from "../core/links/link-snapshot.ts";
import { CircuitBreaker } from "../core/retries.ts";
import { placeNameOf } from "../store/directory/databases.ts";
import { findLastKnownLink } from "../store/link-object-client.ts";
import { findLinksByAddress, type FoundLink, type LinkLookupKey } from "../store/links/link-rows.ts";
import { TimeoutError, UnavailableError, withTimeout } from "../store/timeout.ts";
import type { LinkAddress } from "./address.ts";

/** A key to read; keys with the same name are read once. */
interface ReadKey {
  name: string;
  /** How many rows it may read; 1 if omitted. */
  rows?: number;
}

export interface ReadResult<V> {
  /** Null when the database has no row of this name. */
  found: V | null;
  /** Whether a miss is certain: the primary answered a query that began after the visit arrived. */
  isCertain: boolean;
  /** When the query began, epoch ms. */
  readAt: number;
}

/** A query's rows by name. `isFromPrimary`: a replica may lack the newest ones. */
interface FoundRows<V> {
  found: ReadonlyMap<string, V>;
  isFromPrimary: boolean;
}

type Outcome<V> = ({ kind: "read"; readAt: number } & FoundRows<V>) | { kind: "failed" };

interface Batch<K, V> {
  keys: Map<string, K>;
  rows: number;
  /** When the leader counts as canceled unless it has renewed the lease, by `performance.now()`. */
  leaseUntil: number;
  outcome: Promise<Outcome<V>>;
}

/** A batch that this request leads. */
interface LedBatch<K, V> extends Batch<K, V> {
  timer: LeaderTimer;
}

type ReadMany<K, V> = (env: Env, keys: readonly K[]) => Promise<FoundRows<V>>;

const QUERY_TIMEOUT_MS = 1_000;
const LEASE_MS = 250;
const LEASE_RENEWAL_MS = 50;
/** Bounds a query's result: a link with all its rules can have 72 KB. A path with many segments may read 16 of them. */
const BATCH_ROWS_MAX = 50;
/** Maximum of waiting batches. Beyond it reads are refused, because the database cannot keep up. */
const WAITING_BATCHES_MAX = 20;

export class ReadBatcher<K extends ReadKey, V> {
  readonly #inFlightMax: number;
  readonly #readMany: ReadMany<K, V>;
  readonly #breaker = new CircuitBreaker();
  readonly #inFlight = new Set<Batch<K, V>>();
  /** Batches waiting for a free query; the last one accepts keys until it is full. */
  #waiting: Batch<K, V>[] = [];

  /** @param readMany  finds rows by the keys' names, in one query */
  constructor(inFlightMax: number, readMany: ReadMany<K, V>) {
    this.#inFlightMax = inFlightMax;
    this.#readMany = readMany;
  }

  /**
   * Reads with a query that begins after this call.
   * @param until  how long this request waits, by `performance.now()`
   * @throws UnavailableError immediately while the circuit breaker is open
   */
  async read(env: Env, ctx: ExecutionContext, key: K, until: number): Promise<ReadResult<V>> {
    return resultOf(await this.#readJoining(env, ctx, key, until, this.#joinWaiting(key)), key);
  }

  /**
   * Joins a query for this name if one is in flight (single flight). It began before this call, so a miss is not
   * certain.
   */
  async readOrJoin(env: Env, ctx: ExecutionContext, key: K, until: number): Promise<ReadResult<V>> {
    const earlier = this.#inFlightBatchOf(key);
    const outcome = await this.#readJoining(env, ctx, key, until, earlier ?? this.#joinWaiting(key));
    const result = resultOf(outcome, key);
    return earlier ? { ...result, isCertain: false } : result;
  }

  async #readJoining(
    env: Env,
    ctx: ExecutionContext,
    key: K,
    until: number,
    joined: Batch<K, V> | undefined,
  ): Promise<Outcome<V>> {
    let outcome: Outcome<V> | undefined;
    for (let batch = joined; batch;) {
      outcome = await this.#awaitBatch(batch, until);
      // After an outcome the key must join no other batch: it would be read again, or refused if all are full.
      batch = outcome ? undefined : this.#joinWaiting(key);
    }
    if (outcome) return outcome;
    const led = this.#openBatch(env, ctx, key);
    return led.timer.endAt(until, led.outcome);
  }

  /**
   * Awaits another request's batch. Undefined if that request was canceled, which is not a database failure.
   * @throws TimeoutError
   */
  async #awaitBatch(batch: Batch<K, V>, until = Infinity): Promise<Outcome<V> | undefined> {
    while (isAlive(batch)) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) throw new TimeoutError("the database did not answer in time");
      try {
        return await withTimeout(Math.min(LEASE_MS, leftMs), batch.outcome);
      } catch (error) {
        if (!(error instanceof TimeoutError)) break;
      }
    }
    this.#removeBatch(batch);
    return undefined;
  }

  #inFlightBatchOf({ name }: K): Batch<K, V> | undefined {
    for (const batch of this.#inFlight) if (isAlive(batch) && batch.keys.has(name)) return batch;
    return undefined;
  }

  #joinWaiting(key: K): Batch<K, V> | undefined {
    if (!this.#waiting.every(isAlive)) this.#waiting = this.#waiting.filter(isAlive);
    const last = this.#waiting.at(-1);
    if (!last) return undefined;
    if (last.rows < BATCH_ROWS_MAX || last.keys.has(key.name)) {
      if (!last.keys.has(key.name)) last.rows += key.rows ?? 1;
      last.keys.set(key.name, key);
      return last;
    }
    if (this.#waiting.length >= WAITING_BATCHES_MAX) throw new UnavailableError("too many reads wait for the database");
    return undefined;
  }

  #openBatch(env: Env, ctx: ExecutionContext, key: K): LedBatch<K, V> {
    const batch: LedBatch<K, V> = {
      keys: new Map([[key.name, key]]),
      rows: key.rows ?? 1,
      leaseUntil: performance.now() + LEASE_MS,
      outcome: Promise.resolve({ kind: "failed" }),
      timer: new LeaderTimer(() => (batch.leaseUntil = performance.now() + LEASE_MS)),
    };
    this.#waiting.push(batch);
    batch.outcome = this.#lead(env, batch);
    ctx.waitUntil(batch.outcome);
    return batch;
  }

  async #lead(env: Env, batch: LedBatch<K, V>): Promise<Outcome<V>> {
    try {
      while (this.#isFull()) await this.#waitForRoom();
      this.#waiting = this.#waiting.filter((other) => other !== batch);
      if (!this.#breaker.allows(performance.now())) return { kind: "failed" };
      this.#inFlight.add(batch);
      return await this.#runQuery(env, batch);
    } finally {
      batch.timer.stop();
      this.#inFlight.delete(batch);
    }
  }

  async #runQuery(env: Env, { keys, timer }: LedBatch<K, V>): Promise<Outcome<V>> {
    const readAt = Date.now();
    try {
      const rows = await timer.endAt(performance.now() + QUERY_TIMEOUT_MS, this.#readMany(env, [...keys.values()]));
      this.#breaker.recordSuccess();
      return { kind: "read", readAt, ...rows };
    } catch (error) {
      this.#breaker.recordFailure(performance.now(), Math.random());
      console.error("database did not answer", { keys: keys.size, error: String(error) });
      return { kind: "failed" };
    }
  }

  #isFull(): boolean {
    for (const batch of this.#inFlight) if (!isAlive(batch)) this.#inFlight.delete(batch);
    return this.#inFlight.size >= this.#inFlightMax;
  }

  /** Waits until a query has ended or its leader was canceled. */
  async #waitForRoom(): Promise<void> {
    await Promise.race([...this.#inFlight].map((batch) => this.#awaitBatch(batch)));
  }

  #removeBatch(batch: Batch<K, V>): void {
    this.#inFlight.delete(batch);
    this.#waiting = this.#waiting.filter((other) => other !== batch);
  }
}

/** @throws UnavailableError */
function resultOf<V>(outcome: Outcome<V>, { name }: ReadKey): ReadResult<V> {
  if (outcome.kind === "failed") throw new UnavailableError("the database does not respond");
  const { found, isFromPrimary, readAt } = outcome;
  return { found: found.get(name) ?? null, isCertain: isFromPrimary, readAt };
}

/**
 * The only timer of a request that leads a batch: it renews the lease, and ends work that takes too long, at most
 * LEASE_RENEWAL_MS late. Separate timers would cost a visit more CPU than its share of the query.
 */
class LeaderTimer {
  readonly #ends: { at: number; reject: (error: Error) => void }[] = [];
  readonly #interval: ReturnType<typeof setInterval>;

  constructor(renewLease: () => void) {
    this.#interval = setInterval(() => {
      renewLease();
      const now = performance.now();
      for (const { at, reject } of this.#ends)
        if (now >= at) reject(new TimeoutError("the database did not answer in time"));
    }, LEASE_RENEWAL_MS);
  }

  /** Rejects with TimeoutError if the work has not ended at the given time, by `performance.now()`. */
  endAt<T>(at: number, work: Promise<T>): Promise<T> {
    return Promise.race([work, new Promise<never>((_, reject) => this.#ends.push({ at, reject }))]);
  }

  stop(): void {
    clearInterval(this.#interval);
  }
}

function isAlive({ leaseUntil }: { leaseUntil: number }): boolean {
  return performance.now() < leaseUntil;
}

/**
 * Reads the links of addresses from D1, in shared queries. On a custom domain, a link may match an address exactly or
 * case-insensitively: the same query looks for both. No holder of a domain has both. Reads of different databases share
 * nothing: if one database fails or stalls, reads of the others are not delayed.
 */

/** Queries in flight, each for up to 50 addresses. Fewer to the primary, which all locations share. */
const REPLICA_QUERIES_MAX = 4;
const PRIMARY_QUERIES_MAX = 2;

interface AddressRead {
  /** Addresses that differ only in case have the same link, or one each. */
  name: string;
  rows: number;
  address: LinkAddress;
}

type LinkBatcher = ReadBatcher<AddressRead, FoundLink>;

/** The reads of one database, with separate queries in flight and circuit breakers for each kind. */
interface DatabaseReads {
  replica: LinkBatcher;
  primary: LinkBatcher;
}

const readsByPlace = new Map<string, DatabaseReads>();

/** The reads of the database that stores an address's link. */
export function readsOf(env: Env, address: LinkAddress): DatabaseReads {
  const place = placeNameOf(env, address);
  const known = readsByPlace.get(place);
  if (known) return known;
  const opened: DatabaseReads = {
    replica: new ReadBatcher(REPLICA_QUERIES_MAX, (env, reads) => findLinks(env, reads, "first-unconstrained")),
    primary: new ReadBatcher(PRIMARY_QUERIES_MAX, (env, reads) => findLinks(env, reads, "first-primary")),
  };
  readsByPlace.set(place, opened);
  return opened;
}

export function addressRead(address: LinkAddress): AddressRead {
  const { name } = address.exact ?? address;
  // The same slug without a rest may have another link.
  return { name: address.rest === "" ? name : `${name}/`, rows: 1 + address.shorter.length, address };
}

async function findLinks(
  env: Env,
  reads: readonly AddressRead[],
  freshness: "first-unconstrained" | "first-primary",
): Promise<{ found: Map<string, FoundLink>; isFromPrimary: boolean }> {
  const keys = new Map(reads.flatMap(({ address }) => lookupKeys(address)).map((key) => [key.name, key]));
  const links = await findLinksByAddress(env, [...keys.values()], freshness);
  const found = new Map<string, FoundLink>();
  for (const { name, address } of reads) {
    const link = linkAt(address, links);
    if (link) found.set(name, link);
  }
  return { found, isFromPrimary: links.isFromPrimary };
}

/** The link of the whole path, or of its longest slug that forwards the rest. A former holder's link comes last. */
function linkAt(address: LinkAddress, links: ReadonlyMap<string, FoundLink>): FoundLink | undefined {
  const former: FoundLink[] = [];
  for (const { name, exact, rest } of [address, ...address.shorter]) {
    for (const link of [links.get(name), exact ? links.get(exact.name) : undefined]) {
      if (!link || (rest !== "" && !link.link.forwardPath)) continue;
      if (link.account !== "transferred") return link;
      if (rest === "") former.push(link);
    }
  }
  return former[0];
}

function lookupKeys(address: LinkAddress): LinkLookupKey[] {
  return [address, ...address.shorter].flatMap((each) =>
    each.exact ? [each, { ...each.exact, domain: each.domain }] : [each],
  );
}

/** The link of an address according to its object (`findLastKnownLink`). @param last  as last returned by D1 */
export async function readLastKnownLink(
  env: Env,
  { domain, slug, exact }: LinkAddress,
  last: LinkSnapshot | null,
): Promise<LinkSnapshot | null> {
  const link = await findLastKnownLink(env, { domain, slug }, last);
  return link || last || !exact ? link : findLastKnownLink(env, { domain, slug: exact.slug }, null);
}
