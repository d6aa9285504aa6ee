/**
 * Visits to many links, as ratios to a bare Worker in the same rounds: a thousand busy links, links that the isolate
 * sees for the first time, and addresses without a link. Every click must be counted.
 */
import { coldCpu } from "./cold-cpu.ts";
import type { Figure } from "./figures.ts";
import { runLoad } from "./load.ts";
import { cpuRatio, rounds, throughputRatio } from "./rounds.ts";
import { type HoplinkServer, type Server, startFloor, startHoplink } from "./server.ts";

const CONNECTIONS = 32;
const SECONDS = 4;
const BUSY_LINKS = 1_000;
const NEW_LINKS = 2_000;
const UNKNOWN_SLUGS = 5_000;

export async function spread(script: string): Promise<Figure[]> {
  return withServers(script, async (floor, ours) => {
    const slugs = slugsOf("busy", BUSY_LINKS);
    const ids = await ours.api.createLinks(slugs);
    const load = { paths: pathsOf(slugs), connections: CONNECTIONS, until: { seconds: SECONDS }, rate: null };
    // The first visit to a link is measured separately (`cold`).
    let total = (await runLoad(ours, load)).visits;
    const pairs = await rounds(
      floor,
      ours,
      () => load,
      async ({ visits }) => void (total += visits),
    );
    // At the end: a thousand queries take longer than the isolate keeps links, and would make each round begin cold.
    await expectRecorded(ours, ids, total);
    return [
      { name: "1,000 links, 32 connections", value: throughputRatio(pairs), unit: "of floor", target: ">= 0.55" },
      { name: "1,000 links, 32 connections, CPU", value: cpuRatio(pairs), unit: "of floor" },
      { name: "1,000 links, clicks counted", value: total, unit: "all" },
    ];
  });
}

export async function cold(script: string): Promise<Figure[]> {
  return [...(await firstVisits(script)), ...(await coldCpu(script))];
}

async function firstVisits(script: string): Promise<Figure[]> {
  return withServers(script, async (floor, ours) => {
    const slugs = (round: number) => slugsOf(`new-${round}`, NEW_LINKS);
    const ids = [
      await ours.api.createLinks(slugs(0)),
      await ours.api.createLinks(slugs(1)),
      await ours.api.createLinks(slugs(2)),
    ];
    const pairs = await rounds(
      floor,
      ours,
      (round) => ({
        paths: pathsOf(slugs(round)),
        connections: CONNECTIONS,
        until: { visits: NEW_LINKS },
        rate: null,
      }),
      ({ visits }, round) => expectRecorded(ours, ids[round] ?? [], visits),
    );
    return [
      { name: "first visits, 32 connections", value: throughputRatio(pairs), unit: "of floor", target: ">= 0.06" },
      { name: "first visits, 32 connections, CPU", value: cpuRatio(pairs), unit: "of floor" },
    ];
  });
}

export async function miss(script: string): Promise<Figure[]> {
  return withServers(script, async (floor, ours) => {
    const load = { connections: CONNECTIONS, until: { seconds: SECONDS }, rate: null, status: 404 as const };
    const pairs = await rounds(
      floor,
      ours,
      () => ({ ...load, paths: pathsOf(slugsOf("unknown", UNKNOWN_SLUGS)) }),
      async () => {},
    );
    return [
      { name: "unknown slugs, 32 connections", value: throughputRatio(pairs), unit: "of floor", target: ">= 0.1" },
    ];
  });
}

async function withServers<T>(script: string, work: (floor: Server, ours: HoplinkServer) => Promise<T>): Promise<T> {
  const [floor, ours] = [await startFloor(), await startHoplink(script)];
  try {
    return await work(floor, ours);
  } finally {
    await Promise.all([floor.stop(), ours.stop()]);
  }
}

async function expectRecorded(ours: HoplinkServer, ids: readonly string[], expected: number): Promise<void> {
  const counted = await ours.api.totalOnceRecorded(ids, expected);
  if (counted !== expected) throw new Error(`${counted} clicks counted of ${expected}`);
}

function slugsOf(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${name}-${i}`);
}

function pathsOf(slugs: readonly string[]): string[] {
  return slugs.map((slug) => `/${slug}`);
}
