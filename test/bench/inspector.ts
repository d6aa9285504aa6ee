/** Queries a running isolate for its memory, through the protocol of Chrome's developer tools. */
import type { Server } from "./server.ts";

interface Target {
  id: string;
  webSocketDebuggerUrl: string;
}

interface HeapUsage {
  usedSize: number;
  /** Bytes that V8 has reserved for the heap. */
  totalSize: number;
  embedderHeapUsedSize: number;
  /** Bytes of array buffers, which are outside the heap. */
  backingStorageSize: number;
}

/** Bytes in use by a Worker's isolate after garbage is collected. The server has to run with an inspector. */
export async function memoryInUse(server: Server, worker: string): Promise<number> {
  const target = (await targetsOf(server)).find(({ id }) => id === `core:user:${worker}`);
  if (!target) throw new Error(`The inspector knows no Worker called ${worker}`);
  return collectGarbage(target);
}

/** Collects garbage in every isolate of the process, including those that simulate D1 and the like. */
export async function collectAllGarbage(server: Server): Promise<void> {
  for (const target of await targetsOf(server)) await collectGarbage(target);
}

/** Bytes of each isolate of the process at the moment, by its id: in use, with garbage, and reserved for its use. */
export async function memoryWithGarbage(server: Server): Promise<Map<string, { used: number; reserved: number }>> {
  const memory = new Map<string, { used: number; reserved: number }>();
  for (const target of await targetsOf(server)) {
    const socket = await opened(target);
    try {
      const usage = await heapUsage(socket, 1);
      const used = bytesInUse(usage);
      memory.set(target.id, { used, reserved: used - usage.usedSize + usage.totalSize });
    } finally {
      socket.close();
    }
  }
  return memory;
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  /** Microseconds, by a clock that all isolates share. */
  startTime: number;
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

/**
 * Milliseconds in which isolates ran their own code during `work`, in the order of their names. They share a thread:
 * the process begins a call within the code of its caller, whose profile then has the time of both.
 * @param isolates  names of Workers, or ids of isolates that the simulation adds, such as `d1:db`; callers before those
 *   that they call
 */
export async function ownCpuMsOf(
  server: Server,
  isolates: readonly string[],
  work: () => Promise<unknown>,
): Promise<number[]> {
  const busy = (await profilesOf(server, isolates, work)).map(busyTimes);
  return busy.map((own, i) => {
    const called = joined(busy.slice(i + 1).flat());
    return lengthMs(joined([...own, ...called])) - lengthMs(called);
  });
}

async function profilesOf(
  server: Server,
  isolates: readonly string[],
  work: () => Promise<unknown>,
): Promise<Profile[]> {
  const targets = await targetsOf(server);
  const sockets = await Promise.all(
    isolates.map((name) => opened(targets.find(({ id }) => id === (name.includes(":") ? name : `core:user:${name}`)))),
  );
  try {
    for (const socket of sockets) {
      await sendCommand(socket, 1, "Profiler.enable");
      await sendCommand(socket, 2, "Profiler.setSamplingInterval", { interval: 500 });
      await sendCommand(socket, 3, "Profiler.start");
    }
    await work();
    const profiles = await Promise.all(sockets.map((socket) => sendCommand(socket, 4, "Profiler.stop")));
    return profiles.map((answer) => (answer as { profile: Profile }).profile);
  } finally {
    for (const socket of sockets) socket.close();
  }
}

/** From and to, µs. */
type Span = readonly [from: number, to: number];

/** Times without waiting, which is idle time or time in the runtime outside of the isolate's code. */
function busyTimes({ nodes, startTime, samples, timeDeltas }: Profile): Span[] {
  const waits = new Set(["(idle)", "(program)"]);
  const waiting = new Set(nodes.filter(({ callFrame }) => waits.has(callFrame.functionName)).map(({ id }) => id));
  let at = startTime;
  const busy: Span[] = [];
  for (const [i, id] of samples.entries()) {
    const from = at;
    at += timeDeltas[i] ?? 0;
    if (!waiting.has(id)) busy.push([from, at]);
  }
  return joined(busy);
}

/** The same time without overlaps, in order. */
function joined(spans: readonly Span[]): Span[] {
  const result: [number, number][] = [];
  for (const [from, to] of [...spans].sort(([one], [other]) => one - other)) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

function lengthMs(spans: readonly Span[]): number {
  return spans.reduce((sum, [from, to]) => sum + to - from, 0) / 1_000;
}

async function targetsOf(server: Server): Promise<Target[]> {
  const host = await server.workerd.inspectorHost();
  return (await (await fetch(`http://${host}/json`)).json()) as Target[];
}

async function opened(target: Target | undefined): Promise<WebSocket> {
  if (!target) throw new Error("The inspector does not know the Worker");
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((open, failed) => {
    socket.addEventListener("open", open);
    socket.addEventListener("error", failed);
  });
  return socket;
}

async function collectGarbage(target: Target): Promise<number> {
  const socket = await opened(target);
  try {
    // Collects garbage before it begins; workerd does not do so on `HeapProfiler.collectGarbage`.
    await sendCommand(socket, 1, "HeapProfiler.takeHeapSnapshot");
    return bytesInUse(await heapUsage(socket, 2));
  } finally {
    socket.close();
  }
}

async function heapUsage(socket: WebSocket, id: number): Promise<HeapUsage> {
  return (await sendCommand(socket, id, "Runtime.getHeapUsage")) as HeapUsage;
}

function bytesInUse({ usedSize, embedderHeapUsedSize, backingStorageSize }: HeapUsage): number {
  return usedSize + embedderHeapUsedSize + backingStorageSize;
}

function sendCommand(socket: WebSocket, id: number, method: string, params: object = {}): Promise<unknown> {
  return new Promise((answered) => {
    socket.addEventListener("message", function hear({ data }) {
      const message = JSON.parse(String(data)) as { id?: number; result?: unknown };
      if (message.id !== id) return;
      socket.removeEventListener("message", hear);
      answered(message.result);
    });
    socket.send(JSON.stringify({ id, method, params }));
  });
}
