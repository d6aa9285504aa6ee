/**
 * The Worker with faults, for tests: its own handler and its own object of a link, which fail on request.
 * `POST /.faults` sets the faults from now on, `GET /.faults` returns what has happened, and `POST /.clicks` records
 * past clicks. State is plain data of an isolate: object faults are set in the isolate that defines the objects, and
 * database and call faults in every isolate.
 */
import { moveClock, movingClock, standsWhileWorking } from "./standing-clock.ts";

import worker, * as sound from "../../src/worker.ts";
import seedWorker from "./seed-worker.ts";
import type { ClickBatch, RecordResult } from "../../src/core/clicks/protocol/link-object-rpc.ts";

export const AccountClicks = movingClock(sound.AccountClicks);
export const AccountFeed = movingClock(sound.AccountFeed);
export const ImageObject = movingClock(sound.ImageObject);
export const Maintenance = movingClock(sound.Maintenance);
export const Service = movingClock(sound.Service);

/** Chances from 0 to 1, of each call of `record`; they exclude each other, in this order. */
export interface Faults {
  failBefore: number;
  /** Stored, but the response is lost. */
  failAfter: number;
  hang: number;
  /** Stored twice, as when a message is delivered again. */
  duplicate: number;
  /** Stored, and answered when the caller no longer waits. */
  late: number;
  abortBefore: number;
  /** The object dies before its write is on disk. */
  abortUnsaved: number;
  abortAfter: number;
  /**
   * Chances of each call to a link's object, of any method: the platform's errors for refusing, losing or ending it.
   */
  callOverloaded: number;
  callLost: number;
  callReset: number;
  /** `slow` answers after a fifth of a second. */
  database: "works" | "slow" | "fails" | "stalls";
  /** The database that fails; null for every one. */
  databaseName: string | null;
}

const NO_FAULTS: Faults = {
  failBefore: 0,
  failAfter: 0,
  hang: 0,
  duplicate: 0,
  late: 0,
  abortBefore: 0,
  abortUnsaved: 0,
  abortAfter: 0,
  callOverloaded: 0,
  callLost: 0,
  callReset: 0,
  database: "works",
  databaseName: null,
};

const CALL_FAULTS = ["callOverloaded", "callLost", "callReset"] as const;
const OBJECT_FAULTS = [
  "failBefore",
  "failAfter",
  "hang",
  "duplicate",
  "late",
  "abortBefore",
  "abortUnsaved",
  "abortAfter",
] as const;

type CallFault = (typeof CALL_FAULTS)[number];
type FaultKind = CallFault | (typeof OBJECT_FAULTS)[number];

/** Messages and properties of the platform's errors, as Cloudflare documents them. */
const CALL_ERRORS: Record<CallFault, [message: string, properties: object]> = {
  callOverloaded: ["Durable Object is overloaded. Too many requests queued.", { overloaded: true, remote: true }],
  callLost: ["Network connection lost.", { retryable: true, remote: true }],
  callReset: ["Durable Object reset because its code was updated.", { retryable: true, durableObjectReset: true }],
};

export interface FaultReport {
  /** Promises passed to `waitUntil` that have not ended: at 0 no click is in progress. */
  pending: number;
  /** How often each fault has occurred. */
  occurred: Record<FaultKind, number>;
  /** Number of objects that were started. */
  started: number;
  /** Queries of redirects, by the target that they query first. */
  queries: { replica: number; primary: number };
}

const LATE_RESULT_MS = 6_000;
const DATABASE_STALL_MS = 70_000;
const DATABASE_SLOW_MS = 200;

/** A request with this header is cut off that many ms after its answer, with all its background work. */
const ABORT_AFTER_RESPONSE_HEADER = "x-cut-off-after-ms";
/** The same, but that many ms after the request arrived, answered or not. */
const ABORT_AFTER_ARRIVAL_HEADER = "x-abort-after-ms";

let faults = NO_FAULTS;
const report: FaultReport = {
  pending: 0,
  occurred: {
    failBefore: 0,
    failAfter: 0,
    hang: 0,
    duplicate: 0,
    late: 0,
    abortBefore: 0,
    abortUnsaved: 0,
    abortAfter: 0,
    callOverloaded: 0,
    callLost: 0,
    callReset: 0,
  },
  started: 0,
  queries: { replica: 0, primary: 0 },
};

/** Passed from one request to another, which workerd forbids: used to check that the log reports it. */
let resolveOtherRequest: ((value: string) => void) | undefined;

class FaultyLinkClicks extends sound.LinkClicks {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    report.started++;
  }

  override record(batch: ClickBatch): RecordResult {
    // Over RPC a promise and its value are the same to the caller.
    return this.#record(batch) as unknown as RecordResult;
  }

  async #record(batch: ClickBatch): Promise<RecordResult> {
    const kind = chosenFault(OBJECT_FAULTS);
    if (kind === null) return super.record(batch);
    report.occurred[kind]++;
    switch (kind) {
      case "failBefore":
        throw new Error("fault: failed before anything was done");
      case "failAfter":
        super.record(batch);
        throw new Error("fault: stored, but the answer was lost");
      case "hang":
        return new Promise(() => {});
      case "duplicate":
        super.record(batch);
        return super.record(batch);
      case "late": {
        const recorded = super.record(batch);
        await sleep(LATE_RESULT_MS);
        return recorded;
      }
      case "abortBefore":
        this.ctx.abort("fault: aborted before anything was done");
        break;
      case "abortUnsaved":
        super.record(batch);
        this.ctx.abort("fault: aborted before it was saved");
        break;
      case "abortAfter":
        super.record(batch);
        await this.ctx.storage.sync();
        this.ctx.abort("fault: aborted before the answer");
        break;
      default:
        kind satisfies never;
    }
    return new Promise(() => {});
  }
}

export const LinkClicks = movingClock(FaultyLinkClicks);

function chosenFault<Kind extends FaultKind>(kinds: readonly Kind[]): Kind | null {
  let chance = Math.random();
  for (const kind of kinds) {
    if (chance < faults[kind]) return kind;
    chance -= faults[kind];
  }
  return null;
}

export default {
  async fetch(request, env, ctx) {
    moveClock();
    const { pathname } = new URL(request.url);
    if (pathname === "/.faults") return control(request);
    if (pathname === "/.clicks") return seedWorker.fetch(request, env);
    if (pathname === "/.clock") return Response.json(standsWhileWorking());
    if (pathname === "/.cross-requests") return crossRequests(ctx);
    const watched = new WatchedContext(ctx);
    const abort = request.headers.get(ABORT_AFTER_ARRIVAL_HEADER);
    if (abort !== null) ctx.waitUntil(sleep(Number(abort)).then(() => watched.abortRequest()));
    const response = await worker.fetch(request, faultyEnv(env), watched);
    const cutOff = request.headers.get(ABORT_AFTER_RESPONSE_HEADER);
    if (cutOff !== null) ctx.waitUntil(sleep(Number(cutOff)).then(() => watched.abortRequest()));
    return response;
  },

  scheduled(controller, env) {
    moveClock();
    return worker.scheduled(controller, env);
  },
} satisfies ExportedHandler<Env>;

async function control(request: Request): Promise<Response> {
  if (request.method === "POST") faults = { ...NO_FAULTS, ...(await request.json<Partial<Faults>>()) };
  return Response.json(report);
}

/** Two requests in sequence: the second resolves the promise that the first waits for. */
async function crossRequests(ctx: ExecutionContext): Promise<Response> {
  if (resolveOtherRequest) {
    resolveOtherRequest("from another request");
    resolveOtherRequest = undefined;
    return new Response("resolved");
  }
  const promise = new Promise<string>((done) => (resolveOtherRequest = done));
  ctx.waitUntil(promise);
  return new Response("left behind");
}

/** Counts a request's background work. */
class WatchedContext implements ExecutionContext {
  readonly #ctx: ExecutionContext;
  #pending = 0;
  #isAborted = false;

  constructor(ctx: ExecutionContext) {
    this.#ctx = ctx;
  }

  waitUntil(promise: Promise<unknown>): void {
    this.#count(1);
    this.#ctx.waitUntil(promise.finally(() => this.#count(-1)));
  }

  abortRequest(): void {
    this.#count(-this.#pending);
    this.#isAborted = true;
    this.#ctx.abort("fault: cut off");
  }

  #count(change: number): void {
    if (this.#isAborted) return;
    this.#pending += change;
    report.pending += change;
  }

  passThroughOnException(): void {
    this.#ctx.passThroughOnException();
  }

  abort(reason?: unknown): void {
    this.#ctx.abort(reason);
  }

  mapVirtualHost(fetcher: Fetcher, port: number): string {
    return this.#ctx.mapVirtualHost(fetcher, port);
  }

  get exports() {
    return this.#ctx.exports;
  }

  get props() {
    return this.#ctx.props;
  }

  get tracing() {
    return this.#ctx.tracing;
  }
}

/** The bindings, with databases and calls to objects in which a fault may occur. */
function faultyEnv(env: Env): Env {
  const bindings = Object.entries(env).map(([name, binding]: [string, unknown]) => [
    name,
    name === "DB" || name.startsWith("LINKS_") ? faultyDatabase(name, binding as D1Database) : binding,
  ]);
  const areCallsSound = CALL_FAULTS.every((kind) => faults[kind] === 0);
  return { ...Object.fromEntries(bindings), ...(areCallsSound ? {} : { LINK_CLICKS: faultyObjects(env.LINK_CLICKS) }) };
}

function faultyObjects(objects: Env["LINK_CLICKS"]): object {
  return { getByName: (...given: Parameters<typeof objects.getByName>) => faultyObject(objects.getByName(...given)) };
}

function faultyObject(object: object): object {
  return new Proxy(object, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
      return (...given: unknown[]) => faultyCall(() => Reflect.apply(method, target, given));
    },
  });
}

/** Half of the lost calls have reached their object. */
async function faultyCall(call: () => Promise<unknown>): Promise<unknown> {
  const kind = chosenFault(CALL_FAULTS);
  if (kind === null) return call();
  report.occurred[kind]++;
  if (kind === "callLost" && Math.random() < 0.5) await call();
  const [message, properties] = CALL_ERRORS[kind];
  throw Object.assign(new Error(message), properties);
}

function faultyDatabase(name: string, database: D1Database): D1Database {
  const fault = faults.databaseName === null || faults.databaseName === name ? faults.database : "works";
  const isDead = fault === "fails" || fault === "stalls";
  return {
    prepare: (sql: string) => (isDead ? failingStatement : database.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) => (isDead ? failOrStall() : database.batch(statements)),
    withSession: (first: string) => {
      report.queries[first === "first-primary" ? "primary" : "replica"]++;
      if (isDead) return { prepare: () => failingStatement };
      const session = database.withSession(first);
      return fault === "slow" ? { prepare: (sql: string) => slowed(session.prepare(sql)) } : session;
    },
  } as unknown as D1Database;
}

function slowed(statement: D1PreparedStatement) {
  return {
    bind: (...values: unknown[]) => slowed(statement.bind(...values)),
    all: () => sleep(DATABASE_SLOW_MS).then(() => statement.all()),
  };
}

/** A statement of a database that answers with an error, or stalls for a minute. */
const failingStatement = {
  bind: () => failingStatement,
  first: failOrStall,
  all: failOrStall,
  run: failOrStall,
  raw: failOrStall,
};

async function failOrStall(): Promise<never> {
  if (faults.database === "stalls") await sleep(DATABASE_STALL_MS);
  throw new Error("D1_ERROR: fault: Network connection lost");
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
