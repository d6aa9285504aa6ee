/** Asks a running isolate for its memory, through the protocol of Chrome's developer tools. */
import type { Server } from "./server.ts";

interface Target {
  id: string;
  webSocketDebuggerUrl: string;
}

interface HeapUsage {
  usedSize: number;
  embedderHeapUsedSize: number;
  /** Of array buffers, which lie outside the heap. */
  backingStorageSize: number;
}

/** Bytes in use by a Worker's isolate after garbage is collected. The server has to run with an inspector. */
export async function memoryInUse(server: Server, worker: string): Promise<number> {
  const target = (await targetsOf(server)).find(({ id }) => id === `core:user:${worker}`);
  if (!target) throw new Error(`The inspector knows no Worker called ${worker}`);
  return collectGarbage(target);
}

/** Collects garbage in every isolate of the process, those that stand in for D1 and the like included. */
export async function collectAllGarbage(server: Server): Promise<void> {
  for (const target of await targetsOf(server)) await collectGarbage(target);
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

/**
 * Milliseconds in which isolates ran code while `work` was done, in the order of their names.
 * @param isolates  names of Workers, or ids of what the simulation adds, such as `d1:db`
 */
export async function cpuMsOf(
  server: Server,
  isolates: readonly string[],
  work: () => Promise<unknown>,
): Promise<number[]> {
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
    return profiles.map((answer) => busyMs((answer as { profile: Profile }).profile));
  } finally {
    for (const socket of sockets) socket.close();
  }
}

/** Without the time in which the isolate waits: idle, or in the runtime outside of its code. */
function busyMs({ nodes, samples, timeDeltas }: Profile): number {
  const waits = new Set(["(idle)", "(program)"]);
  const waiting = new Set(nodes.filter(({ callFrame }) => waits.has(callFrame.functionName)).map(({ id }) => id));
  return samples.reduce((sum, id, i) => (waiting.has(id) ? sum : sum + (timeDeltas[i] ?? 0)), 0) / 1_000;
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
    const usage = (await sendCommand(socket, 2, "Runtime.getHeapUsage")) as HeapUsage;
    return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
  } finally {
    socket.close();
  }
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
