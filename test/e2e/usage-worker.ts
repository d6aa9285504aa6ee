/**
 * The Worker and its objects, with their usage of Workers' quotas counted per isolate since it started. `/.usage`
 * answers with the counts. Never deployed.
 */
import worker, * as uncounted from "../../src/worker.ts";
import { meterRows, type RowMeter } from "../bench/row-meter.ts";
import { type Calls, countCalls } from "../support/counted-calls.ts";

export { ImageObject } from "../../src/worker.ts";

export interface IsolateUsage extends Pick<Calls, "callsTo"> {
  /** Rows in databases, and in the SQLite of the isolate's objects. */
  rowsRead: number;
  /** Rows in databases and in the SQLite of the isolate's objects. */
  rowsWritten: number;
  /** Each runs once, which is a request of its object. */
  alarms: number;
  /** Promises passed to `waitUntil` that have not ended. */
  pending: number;
}

let watched: ReturnType<typeof countCalls> | undefined;
let meter: RowMeter | undefined;
const rows = { rowsRead: 0, rowsWritten: 0 };
let alarms = 0;
let pending = 0;

/** Counts the isolate's bindings, for every request and object. */
function counting(env: Env): Env {
  return (watched ??= countCalls(env)).env;
}

function countingRows(state: DurableObjectState): DurableObjectState {
  if (!meter) {
    meter = meterRows(state.storage.sql);
    countAlarms(Object.getPrototypeOf(state.storage) as DurableObjectStorage);
  }
  return state;
}

/** Each alarm that is set is billed as a row. @param prototype  of every object's storage */
function countAlarms(prototype: DurableObjectStorage): void {
  const { setAlarm, deleteAlarm } = prototype;
  prototype.setAlarm = function counted(...given) {
    rows.rowsWritten += 1;
    if (!withAlarm.has(this)) alarms += 1;
    withAlarm.add(this);
    return setAlarm.apply(this, given);
  };
  prototype.deleteAlarm = function counted(...given) {
    if (withAlarm.delete(this)) alarms -= 1;
    return deleteAlarm.apply(this, given);
  };
}

/** Storages of objects whose alarm has not run: setting it again moves it. */
const withAlarm = new WeakSet<DurableObjectStorage>();

interface Alarmed {
  // Declared as a method, which a class below overrides.
  alarm?(info?: AlarmInvocationInfo): Promise<void> | void;
}

type ObjectClass = new (state: DurableObjectState, env: Env) => Alarmed;

function counted(Uncounted: ObjectClass): ObjectClass {
  return class extends Uncounted {
    readonly #storage: DurableObjectStorage;

    constructor(state: DurableObjectState, env: Env) {
      super(countingRows(state), counting(env));
      this.#storage = state.storage;
    }

    override async alarm(info?: AlarmInvocationInfo): Promise<void> {
      withAlarm.delete(this.#storage);
      await super.alarm?.(info);
    }
  };
}

export const LinkClicks = counted(uncounted.LinkClicks);
export const AccountClicks = counted(uncounted.AccountClicks);
export const AccountFeed = counted(uncounted.AccountFeed);
export const Maintenance = counted(uncounted.Maintenance);
export const Service = counted(uncounted.Service);

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname === "/.usage") return Response.json(usage());
    const waitUntil = (promise: Promise<unknown>) => {
      pending++;
      ctx.waitUntil(promise.finally(() => pending--));
    };
    return worker.fetch(request, counting(env), { waitUntil } as unknown as ExecutionContext);
  },

  async scheduled(controller, env) {
    await worker.scheduled(controller, counting(env));
  },
} satisfies ExportedHandler<Env>;

function usage(): IsolateUsage {
  meter?.addTo(rows);
  const { callsTo = {}, rowsRead = 0, rowsWritten = 0 } = watched?.counted ?? {};
  const all = { rowsRead: rows.rowsRead + rowsRead, rowsWritten: rows.rowsWritten + rowsWritten };
  return { callsTo, ...all, alarms, pending };
}
