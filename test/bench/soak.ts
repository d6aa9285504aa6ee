/**
 * Mixed traffic for minutes (SOAK_MINUTES, 3 when not set): does memory stay flat? The isolate that redirects and the
 * one that holds the objects are measured separately, after garbage is collected: the memory that they keep may not
 * grow. Their peak, with garbage, is read during the traffic: nothing limits a heap here, but a deployed one has 128 MB.
 * The process as a whole is reported as well: its program and files, the heaps of a dozen isolates, those included
 * that simulate D1, the limiter and others, and the rest, which workerd and its allocator hold.
 */
import type { Figure } from "./figures.ts";
import { collectAllGarbage, memoryInUse, memoryWithGarbage } from "./inspector.ts";
import { MixedTraffic } from "./mixed-traffic.ts";
import { pause } from "../support/eventually.ts";
import { type HoplinkServer, residentBytes, residentFileBytes, startHoplink } from "./server.ts";

const MEGABYTE = 1024 * 1024;
const MINUTES = Number(process.env.SOAK_MINUTES ?? 3);
const PER_SECOND = 150;
/** Time to fill caches and to compile code at its first use. Counted from the start; at most a third of the time. */
const WARM_UP_SECONDS = Math.min(MINUTES * 20, 300);
const READINGS = 20;
const PEAK_CHECK_MS = 1_000;

interface Reading {
  edge: number;
  objects: number;
  /** Bytes of the process, before garbage is collected in all of its isolates, and after. */
  resident: number;
  collected: number;
  /** The part of `resident` that is program and files, and that isolates have reserved for their heaps and buffers. */
  files: number;
  heaps: number;
}

/** The most bytes that isolates had in use at once, with garbage. */
export interface Peaks {
  edge: number;
  objects: number;
  /** All that simulate D1, the limiter and others. */
  simulation: number;
}

export async function soak(script: string): Promise<Figure[]> {
  const server = await startHoplink(script, { inspectorPort: 0, objectsApart: true, visitorHeaders: true });
  const traffic = await MixedTraffic.create(server);
  const peaks: Peaks = { edge: 0, objects: 0, simulation: 0 };
  try {
    await traffic.run(PER_SECOND, WARM_UP_SECONDS);
    const readings = [await takeReading(server, traffic)];
    const seconds = (MINUTES * 60 - WARM_UP_SECONDS) / READINGS;
    for (let i = 0; i < READINGS; i++) {
      const ended = traffic.run(PER_SECOND, seconds);
      await Promise.all([ended, readPeaks(server, peaks, ended)]);
      readings.push(await takeReading(server, traffic));
    }
    const miscounted = await traffic.miscounted();
    for (const failure of new Set(traffic.failures.map(String))) console.error(`  ${failure}`);
    return figures(readings, peaks, traffic, miscounted);
  } finally {
    traffic.stop();
    await server.stop();
  }
}

/** Reads again and again until the traffic has ended. @param peaks  of before, which are raised */
export async function readPeaks(server: HoplinkServer, peaks: Peaks, ended: Promise<void>): Promise<void> {
  let isOver = false;
  const over = ended.finally(() => (isOver = true));
  while (!isOver) {
    const memory = await memoryWithGarbage(server);
    const [edge, objects] = ["hoplink", "objects"].map((name) => memory.get(`core:user:${name}`)?.used ?? NaN);
    const all = [...memory.values()].reduce((sum, { used }) => sum + used, 0);
    peaks.edge = Math.max(peaks.edge, edge ?? NaN);
    peaks.objects = Math.max(peaks.objects, objects ?? NaN);
    peaks.simulation = Math.max(peaks.simulation, all - (edge ?? NaN) - (objects ?? NaN));
    await Promise.race([over, pause(PEAK_CHECK_MS)]);
  }
}

async function takeReading(server: HoplinkServer, { answeredCount }: MixedTraffic): Promise<Reading> {
  const [resident, files] = [residentBytes(server.pid), residentFileBytes(server.pid)];
  const heaps = [...(await memoryWithGarbage(server)).values()].reduce((sum, { reserved }) => sum + reserved, 0);
  const edge = await memoryInUse(server, "hoplink");
  const objects = await memoryInUse(server, "objects");
  await collectAllGarbage(server);
  const reading = { edge, objects, resident, collected: residentBytes(server.pid), files, heaps };
  const shown = Object.entries(reading).map(([name, bytes]) => `${name} ${(bytes / MEGABYTE).toFixed(1)} MB`);
  console.error(`  ${answeredCount} requests: ${shown.join(", ")}`);
  return reading;
}

function figures(readings: readonly Reading[], peaks: Peaks, traffic: MixedTraffic, miscounted: number): Figure[] {
  const growth = (of: keyof Reading) => growthOf(readings.map((reading) => reading[of] / MEGABYTE));
  const [first, last] = [readings[0], readings.at(-1)];
  const inTheEnd = (of: keyof Reading) => (last?.[of] ?? NaN) / MEGABYTE;
  return [
    { name: `soak: requests in ${MINUTES} minutes`, value: traffic.answeredCount, unit: "" },
    { name: "soak: requests that failed", value: traffic.failures.length, unit: "", target: "<= 0" },
    { name: "soak: visits counted wrong", value: miscounted, unit: "", target: "<= 0" },
    { name: "soak: isolate that redirects, growth", value: growth("edge"), unit: "MB", target: "<= 2" },
    { name: "soak: isolate of the objects, growth", value: growth("objects"), unit: "MB", target: "<= 2" },
    { name: "soak: isolate that redirects, peak", value: peaks.edge / MEGABYTE, unit: "MB", target: "<= 128" },
    { name: "soak: isolate of the objects, peak", value: peaks.objects / MEGABYTE, unit: "MB", target: "<= 128" },
    { name: "soak: isolates of the simulation, peak", value: peaks.simulation / MEGABYTE, unit: "MB" },
    { name: "soak: process, garbage collected, growth", value: growth("collected"), unit: "MB" },
    { name: "soak: process at first", value: (first?.resident ?? NaN) / MEGABYTE, unit: "MB" },
    { name: "soak: process in the end", value: inTheEnd("resident"), unit: "MB" },
    { name: "soak: of it, program and files", value: inTheEnd("files"), unit: "MB" },
    { name: "soak: of it, reserved by all isolates", value: inTheEnd("heaps"), unit: "MB" },
    {
      name: "soak: of it, the rest",
      value: inTheEnd("resident") - inTheEnd("files") - inTheEnd("heaps"),
      unit: "MB",
    },
  ];
}

/** From the first third of the readings to the last, by their lowest: memory in temporary use is not counted. */
function growthOf(values: readonly number[]): number {
  const third = Math.ceil(values.length / 3);
  return Math.min(...values.slice(-third)) - Math.min(...values.slice(0, third));
}
