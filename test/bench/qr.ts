/**
 * The cost of a QR code in workerd: CPU as a ratio to resvg drawing the same code in the same run, and the peak memory
 * of the largest code beyond the process's previous use.
 */
import { writeFileSync } from "node:fs";

import { bundleModules } from "../support/bundle.ts";
import { freePort } from "../support/ports.ts";
import { type Figure, median } from "./figures.ts";
import { cpuSeconds, peakBytes, residentBytes, startServer } from "./server.ts";

const MEGABYTE = 1024 * 1024;
const KIBIBYTE = 1024;
const ROUNDS = 5;

export interface QrServer {
  pid: number;
  /** Draws a code `times` times, with a given logo if `logo=sent`. @returns bytes of the file */
  draw: (query: string, times: number, logo?: string) => Promise<number>;
  stop: () => Promise<void>;
}

export async function qr(): Promise<Figure[]> {
  const drawer = await startQrServer();
  try {
    const [small, smallByResvg] = await cpuOfBoth(drawer, 512, 200, 20);
    const [large, largeByResvg] = await cpuOfBoth(drawer, 4_096, 20, 2);
    const bytes = await drawer.draw("size=4096", 1);
    return [
      { name: "QR: CPU of a PNG of 512 px", value: small, unit: "ms", target: "<= 3" },
      { name: "QR: the same by resvg", value: smallByResvg, unit: "ms" },
      { name: "QR: ratio to resvg at 512 px", value: small / smallByResvg, unit: "" },
      { name: "QR: CPU of a PNG of 4096 px", value: large, unit: "ms", target: "<= 40" },
      { name: "QR: the same by resvg", value: largeByResvg, unit: "ms" },
      { name: "QR: ratio to resvg at 4096 px", value: large / largeByResvg, unit: "" },
      { name: "QR: file of 4096 px", value: bytes / KIBIBYTE, unit: "KiB", target: "<= 32" },
      { name: "QR: peak memory of 4096 px", value: await peakMemoryOfCode("size=4096"), unit: "MB", target: "<= 16" },
      {
        name: "QR: with a logo of shapes",
        value: await peakMemoryOfCode("size=4096&logo=shapes"),
        unit: "MB",
        target: "<= 48",
      },
      {
        name: "QR: with one of 1024 px",
        value: await peakMemoryOfCode("size=4096&logo=pixels"),
        unit: "MB",
        target: "<= 48",
      },
    ];
  } finally {
    await drawer.stop();
  }
}

/** CPU ms of one code, by our code and by resvg, alternating. */
async function cpuOfBoth(
  drawer: QrServer,
  size: number,
  times: number,
  timesByResvg: number,
): Promise<[number, number]> {
  const own: number[] = [];
  const byResvg: number[] = [];
  await drawer.draw(`size=${size}`, times);
  await drawer.draw(`size=${size}&by=resvg`, 1);
  for (let round = 0; round < ROUNDS; round++) {
    own.push(await cpuOfCode(drawer, `size=${size}`, times));
    byResvg.push(await cpuOfCode(drawer, `size=${size}&by=resvg`, timesByResvg));
  }
  return [median(own), median(byResvg)];
}

export async function cpuOfCode({ pid, draw }: QrServer, query: string, times: number, logo?: string): Promise<number> {
  const before = cpuSeconds(pid);
  await draw(query, times, logo);
  return ((cpuSeconds(pid) - before) * 1_000) / times;
}

/** MB by which the first code of its kind raises the process's peak, in a process that has drawn small plain ones. */
export async function peakMemoryOfCode(query: string, logo?: string): Promise<number> {
  const drawer = await startQrServer();
  try {
    await drawer.draw("size=64", 20);
    // Resets the peak to the memory that is resident now (proc(5)).
    writeFileSync(`/proc/${drawer.pid}/clear_refs`, "5");
    const before = residentBytes(drawer.pid);
    await drawer.draw(query, 1, logo);
    return (peakBytes(drawer.pid) - before) / MEGABYTE;
  } finally {
    await drawer.stop();
  }
}

export async function startQrServer(): Promise<QrServer> {
  const worker = { name: "qr", code: await bundleModules("test/bench/qr-worker.ts"), port: await freePort() };
  const { url, pid, stop } = await startServer([worker]);
  const draw = async (query: string, times: number, logo?: string) => {
    const sent = logo === undefined ? {} : { method: "POST", body: logo };
    const response = await fetch(new URL(`/?${query}&times=${times}`, url), sent);
    if (!response.ok) throw new Error(await response.text());
    return Number(await response.text());
  };
  return { pid, draw, stop };
}
