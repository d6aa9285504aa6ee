/**
 * How much memory the Worker's isolate keeps when a million different links are visited, and when a million clicks
 * arrive for a link whose object does not answer; and how much the feed of an account keeps of the links that announce
 * to it. All are bounded, whatever the load.
 */
import type { Figure } from "./figures.ts";
import { memoryInUse } from "./inspector.ts";
import { type Load, runLoad } from "./load.ts";
import { bundle } from "../support/bundle.ts";
import { startHoplink } from "./server.ts";

const MEGABYTE = 1024 * 1024;
const VISITS = 1_000_000;
const LOAD = { connections: 32, until: { visits: VISITS }, rate: null };
const ANNOUNCING_LINKS = 100_000;
const ANNOUNCED_PER_REQUEST = 1_000;
/** After this time the last clicks have been accepted. */
const SETTLE_MS = 5_000;

interface Growth {
  atOnce: number;
  settled: number;
}

export async function memory(): Promise<Figure[]> {
  const script = await bundle("test/bench/flood-worker.ts");
  const paths = Array.from({ length: VISITS }, (_, i) => `/flood-${i}`);
  const links = await growth(script, { ...LOAD, paths });
  const clicks = await growth(script, { ...LOAD, paths: ["/deaf"] });
  const feed = await feedGrowth(script);
  return [
    { name: "memory while 1 million links are clicked", value: links.atOnce, unit: "MB", target: "<= 32" },
    { name: "memory after 1 million links were clicked", value: links.settled, unit: "MB", target: "<= 32" },
    { name: "memory for 1 million clicks not taken", value: clicks.atOnce, unit: "MB", target: "<= 32" },
    { name: "memory of a feed to which 100,000 links announced", value: feed, unit: "MB", target: "<= 2" },
  ];
}

/** MB by which an isolate that has served before grows. */
async function growth(script: string, load: Load): Promise<Growth> {
  const server = await startHoplink(script, { inspectorPort: 0 });
  try {
    await runLoad(server, { ...load, paths: ["/warm"], until: { visits: 1_000 } });
    await settle();
    const before = await memoryInUse(server, "hoplink");
    await runLoad(server, load);
    const atOnce = await memoryInUse(server, "hoplink");
    await settle();
    const after = await memoryInUse(server, "hoplink");
    return { atOnce: (atOnce - before) / MEGABYTE, settled: (after - before) / MEGABYTE };
  } finally {
    await server.stop();
  }
}

/** MB by which the feed of an account grows at most while ever more links announce to it. */
async function feedGrowth(script: string): Promise<number> {
  const server = await startHoplink(script, { inspectorPort: 0 });
  try {
    const inUse: number[] = [];
    for (let from = 0; from < ANNOUNCING_LINKS; from += ANNOUNCED_PER_REQUEST) {
      const answer = await fetch(`${server.url}/.announce?from=${from}&count=${ANNOUNCED_PER_REQUEST}`);
      if (answer.status !== 204) throw new Error(`announcing was answered with ${answer.status}`);
      // An object that is ended in between would have lost everything by the end.
      if (from % (ANNOUNCING_LINKS / 10) === 0) inUse.push(await memoryInUse(server, "hoplink"));
    }
    return (Math.max(...inUse) - (inUse[0] ?? NaN)) / MEGABYTE;
  } finally {
    await server.stop();
  }
}

function settle(): Promise<void> {
  return new Promise((done) => setTimeout(done, SETTLE_MS));
}
