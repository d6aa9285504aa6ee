/** A link's object as the benchmark fills and queries it, through log-worker.ts in a separate server. */
import type { StatsRequest } from "../../src/core/clicks/counting/stats.ts";
import type { FillRequest, FillResult, ScanTimes, TimedRequest } from "./log-worker.ts";
import { bundle } from "../support/bundle.ts";
import { type Server, startLogServer } from "./server.ts";

/** Runs some work with a server for objects, and stops it. @param worker  its entry */
export async function withLogServer<T>(
  work: (server: Server) => Promise<T>,
  worker = "test/bench/log-worker.ts",
): Promise<T> {
  const server = await startLogServer(await bundle(worker));
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Fills a new object. */
export async function fill(server: Server, object: string, filling: FillRequest): Promise<FillResult> {
  for (;;) {
    const written = (await post(server, `/${object}/load`, filling)) as FillResult;
    if (written.clicks >= filling.clicks) return written;
  }
}

export async function measure(server: Server, object: string, question: StatsRequest): Promise<TimedRequest> {
  return (await post(server, `/${object}/measure`, question)) as TimedRequest;
}

export async function scan(server: Server, object: string, question: StatsRequest): Promise<ScanTimes> {
  return (await post(server, `/${object}/scan`, question)) as ScanTimes;
}

export async function post(server: Server, path: string, argument: unknown): Promise<unknown> {
  const response = await fetch(server.url + path, { method: "POST", body: JSON.stringify(argument) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
