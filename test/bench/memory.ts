/**
 * How much memory the Worker's isolate keeps when a million different links are visited, and when a million clicks
 * come for a link whose object does not answer. Both are bounded, whatever comes.
 */
import type { Figure } from "./figures.ts";
import { memoryInUse } from "./inspector.ts";
import { type Load, run } from "./load.ts";
import { bundle, startHoplink } from "./server.ts";

const MEGABYTE = 1024 * 1024;
const VISITS = 1_000_000;
const LOAD = { connections: 32, until: { visits: VISITS }, rate: null };
/** By then the last clicks have been taken. */
const SETTLE_MS = 5_000;

interface Growth {
  atOnce: number;
  settled: number;
}

export async function memory(): Promise<Figure[]> {
  const script = bundle("test/bench/flood-worker.ts");
  const paths = Array.from({ length: VISITS }, (_, i) => `/flood-${i}`);
  const links = await growth(script, { ...LOAD, paths });
  const clicks = await growth(script, { ...LOAD, paths: ["/deaf"] });
  return [
    { name: "memory while 1 million links are clicked", value: links.atOnce, unit: "MB", target: "<= 32" },
    { name: "memory after 1 million links were clicked", value: links.settled, unit: "MB", target: "<= 32" },
    { name: "memory for 1 million clicks not taken", value: clicks.atOnce, unit: "MB", target: "<= 32" },
  ];
}

/** By how many MB an isolate that has served before grows. */
async function growth(script: string, load: Load): Promise<Growth> {
  const server = await startHoplink(script, { inspectorPort: 0 });
  try {
    await run(server, { ...load, paths: ["/warm"], until: { visits: 1_000 } });
    await settled();
    const before = await memoryInUse(server, "hoplink");
    await run(server, load);
    const atOnce = await memoryInUse(server, "hoplink");
    await settled();
    const after = await memoryInUse(server, "hoplink");
    return { atOnce: (atOnce - before) / MEGABYTE, settled: (after - before) / MEGABYTE };
  } finally {
    await server.stop();
  }
}

function settled(): Promise<void> {
  return new Promise((done) => setTimeout(done, SETTLE_MS));
}
