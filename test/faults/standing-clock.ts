/**
 * A clock as at Cloudflare, where it stands still while code runs, against timing attacks. It moves when the isolate
 * gets a request, a call to one of its objects, an alarm or a timer. At Cloudflare an answer of storage moves it as
 * well, but not here, which is stricter. Imported before the code of the Worker.
 */
const [readWall, readMonotonic] = [Date.now, performance.now.bind(performance)];
const [setRealTimeout, setRealInterval] = [setTimeout, setInterval];

let wall = readWall();
let monotonic = readMonotonic();

export function moveClock(): void {
  wall = readWall();
  monotonic = readMonotonic();
}

const standingNow = () => wall;
performance.now = () => monotonic;
globalThis.Date = new Proxy(Date, {
  construct: (target, given, type) => Reflect.construct(target, given.length === 0 ? [wall] : given, type) as Date,
  get: (target, name) => (name === "now" ? standingNow : (Reflect.get(target, name) as unknown)),
});

type Run = (...given: unknown[]) => void;

const moved =
  (run: Run) =>
  (...given: unknown[]) => {
    moveClock();
    run(...given);
  };
Object.assign(globalThis, {
  setTimeout: (run: Run, ms?: number, ...given: unknown[]) => setRealTimeout(moved(run), ms, ...given),
  setInterval: (run: Run, ms?: number, ...given: unknown[]) => setRealInterval(moved(run), ms, ...given),
});

type ObjectClass = new (ctx: DurableObjectState, env: Env) => object;

/** The class of objects, with every method moving the clock: each is called, or woken, from outside. */
export function movingClock<Class extends ObjectClass>(Original: Class): Class {
  const Moving = class extends (Original as ObjectClass) {};
  const own = Moving.prototype as Record<string, unknown>;
  for (let held: object = own; held !== Object.prototype; held = Object.getPrototypeOf(held) as object)
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(held))) {
      if (typeof value !== "function" || Object.hasOwn(own, name)) continue;
      own[name] = function (this: object, ...given: unknown[]): unknown {
        moveClock();
        return Reflect.apply(value, this, given);
      };
    }
  return Moving as Class;
}

const WORK = 5_000_000;

/** Whether the clock stands still during code that takes many milliseconds. */
export function standsWhileWorking(): boolean {
  const read = () => [Date.now(), new Date().getTime(), performance.now()];
  const before = read();
  let sum = 0;
  for (let i = 0; i < WORK; i++) sum += Math.sqrt(i);
  return sum > 0 && read().every((value, i) => value === before[i]);
}
