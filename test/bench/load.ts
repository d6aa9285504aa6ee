/** Load from wrk on a separate core, against 127.0.0.1 only, bounded in time. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { USER_AGENTS } from "../core/visitors/user-agents.ts";
import { cpuSeconds, type Server } from "./server.ts";

const GENERATOR_CORE = "1";
/** Time after the visits for those in flight to be answered (wrk.lua). */
const TAIL_SECONDS = 0.5;
/** A slow answer is measured; only a missing one is an error. */
const RESPONSE_TIMEOUT = "10s";
/** For a fixed number of visits, which ends once they are made. */
const VISITS_MAX_SECONDS = 600;

export interface Load {
  /** Visited in turn. */
  paths: string[];
  connections: number;
  until: { seconds: number } | { visits: number };
  /** Requests a second; unlimited when null. */
  rate: number | null;
  /** Status of every answer; 302 when not given. */
  status?: 302 | 404;
}

/** Answer times in µs, each with its number of answers; in order. */
export type Latencies = [micros: number, count: number][];

export interface LoadMeasurement {
  /** Visits sent, all answered. */
  visits: number;
  perSecond: number;
  latencies: Latencies;
  /** CPU time of the server for each request answered. */
  cpuMicros: number;
  /** How busy the generator's core was: at 1 it is the bottleneck. */
  generatorUtilization: number;
}

/** Sends load to a server. @throws Error when any answer had an unexpected status */
export async function runLoad(server: Server, load: Load): Promise<LoadMeasurement> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-load-"));
  try {
    writeFileSync(join(folder, "paths"), load.paths.join("\n"));
    writeFileSync(join(folder, "agents"), USER_AGENTS.map(({ userAgent }) => userAgent).join("\n"));
    const cpuBefore = cpuSeconds(server.pid);
    const { result, busy } = await runWrk(server.url, load, folder);
    const cpu = cpuSeconds(server.pid) - cpuBefore;
    if (result.bad > 0) throw new Error(`${result.bad} requests failed`);
    return {
      visits: result.sent,
      perSecond: result.sent / result.seconds,
      latencies: result.latencies,
      cpuMicros: (cpu / result.requests) * 1e6,
      generatorUtilization: busy,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The answer time that this share of answers did not exceed, µs. */
export function percentile(latencies: Latencies, share: number): number {
  let left = share * latencies.reduce((sum, [, count]) => sum + count, 0);
  return latencies.find(([, count]) => (left -= count) <= 0)?.[0] ?? NaN;
}

interface WrkResult {
  sent: number;
  seconds: number;
  requests: number;
  latencies: Latencies;
  bad: number;
}

async function runWrk(url: string, load: Load, folder: string): Promise<{ result: WrkResult; busy: number }> {
  const seconds = Math.ceil("seconds" in load.until ? load.until.seconds + TAIL_SECONDS : VISITS_MAX_SECONDS);
  const wrk = ["-t1", `-c${load.connections}`, `-d${seconds}s`, "--latency", "--timeout", RESPONSE_TIMEOUT];
  const script = ["-s", resolve(import.meta.dirname, "wrk.lua"), url];
  const child = spawn("taskset", ["-c", GENERATOR_CORE, "bash", "-c", 'wrk "$@"; times', "wrk", ...wrk, ...script], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      PLAN_PATHS: join(folder, "paths"),
      PLAN_AGENTS: join(folder, "agents"),
      PLAN_SECONDS: String(seconds - TAIL_SECONDS),
      PLAN_VISITS: "visits" in load.until ? String(load.until.visits) : "0",
      PLAN_CONNECTIONS: String(load.connections),
      PLAN_RATE: String(load.rate ?? 0),
      PLAN_STATUS: String(load.status ?? 302),
    },
  });
  const startedAt = performance.now();
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)));
  const code = await new Promise((done) => child.once("close", done));
  const json = /RESULT (\{.*\})/.exec(printed)?.[1];
  if (code !== 0 || !json) throw new Error(`wrk failed:\n${printed}`);
  const wall = (performance.now() - startedAt) / 1000;
  return { result: JSON.parse(json) as WrkResult, busy: childSeconds(printed) / wall };
}

/** The last line of bash's `times`: user and system time of its children. */
function childSeconds(printed: string): number {
  const line = printed.trim().split("\n").at(-1) ?? "";
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0);
}
