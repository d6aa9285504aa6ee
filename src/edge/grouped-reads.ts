/**
 * Group commit for database reads: what the requests of an isolate ask for at the same time goes out as one query.
 *
 * A bounded number of queries is in flight. Questions that come then wait for the next one together, so the load on the
 * database does not grow with the number of visits. A batch starts only after each of its questions was asked: what it
 * does not find did not exist when the visit came.
 * The request that opens a batch leads it: it owns the I/O and passes the promise to its `waitUntil`; only then may other
 * requests await it (workerd ends the reverse as a hang). A leader can be cut off with its request, and its promise may
 * then never settle: so it renews a lease while it lives, and those who joined ask again when that has run out.
 */
import { CircuitBreaker } from "../core/circuit-breaker.ts";
import { NoAnswer, within } from "../store/patience.ts";

/** Questions with the same name are one. */
interface Question {
  name: string;
}

export interface Answer<A> {
  /** Null when the database has nothing by this name. */
  found: A | null;
  /** When the query began, epoch ms. */
  readAt: number;
}

type Outcome<A> = { kind: "read"; found: ReadonlyMap<string, A>; readAt: number } | { kind: "failed" };

interface Batch<Q, A> {
  questions: Map<string, Q>;
  /** Held for dead from then on, by `performance.now()`; renewed while the leader's request lives. */
  leaseUntil: number;
  outcome: Promise<Outcome<A>>;
}

type Read<Q, A> = (env: Env, questions: readonly Q[]) => Promise<ReadonlyMap<string, A>>;

const QUERY_PATIENCE_MS = 1_000;
const LEASE_MS = 250;
const LEASE_RENEWAL_MS = 50;
/** Bounds a query's result: a link with all its rules has 72 KB. */
const QUESTIONS_MAX = 50;
/** With this many full, a database that is behind is not asked for more. */
const WAITING_MAX = 20;

export class GroupedReads<Q extends Question, A> {
  readonly #inFlightMax: number;
  readonly #read: Read<Q, A>;
  readonly #breaker = new CircuitBreaker();
  readonly #inFlight = new Set<Batch<Q, A>>();
  /** Wait for room in flight; the last one takes questions until it is full. */
  #waiting: Batch<Q, A>[] = [];

  /** @param read  finds by the questions' names, in one query */
  constructor(inFlightMax: number, read: Read<Q, A>) {
    this.#inFlightMax = inFlightMax;
    this.#read = read;
  }

  /** What a query that begins after this call finds. @throws NoAnswer at once while the circuit breaker is open */
  ask(env: Env, ctx: ExecutionContext, question: Q): Promise<Answer<A>> {
    return this.#ask(env, ctx, question, this.#joinWaiting(question));
  }

  /** The same, or single flight: what a query for this name that is under way finds. It may be too old for a miss. */
  askOrJoin(env: Env, ctx: ExecutionContext, question: Q): Promise<Answer<A>> {
    return this.#ask(env, ctx, question, this.#underWay(question) ?? this.#joinWaiting(question));
  }

  async #ask(env: Env, ctx: ExecutionContext, question: Q, joined: Batch<Q, A> | undefined): Promise<Answer<A>> {
    let outcome: Outcome<A> | undefined;
    for (let batch = joined; batch;) {
      outcome = await this.#follow(batch);
      // A question that was answered joins no other batch: it would be asked again, or refused where all are full.
      batch = outcome ? undefined : this.#joinWaiting(question);
    }
    outcome ??= await this.#open(env, ctx, question).outcome;
    if (outcome.kind === "failed") throw new NoAnswer("the database does not answer");
    return { found: outcome.found.get(question.name) ?? null, readAt: outcome.readAt };
  }

  /** Awaits a batch that another request leads. Undefined when that was cut off, which is no failure of the database. */
  async #follow(batch: Batch<Q, A>): Promise<Outcome<A> | undefined> {
    while (isAlive(batch)) {
      try {
        return await within(LEASE_MS, batch.outcome);
      } catch (error) {
        if (!(error instanceof NoAnswer)) break;
      }
    }
    this.#forget(batch);
    return undefined;
  }

  #underWay({ name }: Q): Batch<Q, A> | undefined {
    for (const batch of this.#inFlight) if (isAlive(batch) && batch.questions.has(name)) return batch;
    return undefined;
  }

  #joinWaiting(question: Q): Batch<Q, A> | undefined {
    if (!this.#waiting.every(isAlive)) this.#waiting = this.#waiting.filter(isAlive);
    const last = this.#waiting.at(-1);
    if (!last) return undefined;
    if (last.questions.size < QUESTIONS_MAX || last.questions.has(question.name)) {
      last.questions.set(question.name, question);
      return last;
    }
    if (this.#waiting.length >= WAITING_MAX) throw new NoAnswer("too many reads wait for the database");
    return undefined;
  }

  #open(env: Env, ctx: ExecutionContext, question: Q): Batch<Q, A> {
    const batch: Batch<Q, A> = {
      questions: new Map([[question.name, question]]),
      leaseUntil: performance.now() + LEASE_MS,
      outcome: Promise.resolve({ kind: "failed" }),
    };
    this.#waiting.push(batch);
    batch.outcome = this.#lead(env, batch);
    ctx.waitUntil(batch.outcome);
    return batch;
  }

  async #lead(env: Env, batch: Batch<Q, A>): Promise<Outcome<A>> {
    const renewal = setInterval(() => (batch.leaseUntil = performance.now() + LEASE_MS), LEASE_RENEWAL_MS);
    try {
      while (this.#isFull()) await this.#roomInFlight();
      this.#waiting = this.#waiting.filter((other) => other !== batch);
      if (!this.#breaker.allows(performance.now())) return { kind: "failed" };
      this.#inFlight.add(batch);
      return await this.#query(env, [...batch.questions.values()]);
    } finally {
      clearInterval(renewal);
      this.#inFlight.delete(batch);
    }
  }

  async #query(env: Env, questions: readonly Q[]): Promise<Outcome<A>> {
    const readAt = Date.now();
    try {
      const found = await within(QUERY_PATIENCE_MS, this.#read(env, questions));
      this.#breaker.succeeded();
      return { kind: "read", found, readAt };
    } catch (error) {
      this.#breaker.failed(performance.now(), Math.random());
      console.error("database did not answer", { questions: questions.length, error: String(error) });
      return { kind: "failed" };
    }
  }

  #isFull(): boolean {
    for (const batch of this.#inFlight) if (!isAlive(batch)) this.#inFlight.delete(batch);
    return this.#inFlight.size >= this.#inFlightMax;
  }

  /** Waits for a query to end, one way or the other. */
  async #roomInFlight(): Promise<void> {
    await Promise.race([...this.#inFlight].map((batch) => this.#follow(batch)));
  }

  #forget(batch: Batch<Q, A>): void {
    this.#inFlight.delete(batch);
    this.#waiting = this.#waiting.filter((other) => other !== batch);
  }
}

function isAlive({ leaseUntil }: { leaseUntil: number }): boolean {
  return performance.now() < leaseUntil;
}
