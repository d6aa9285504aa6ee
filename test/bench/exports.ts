/**
 * An export of a million clicks, of a link and of an account: its speed, and how much additional memory the isolates of
 * the Worker and of the objects use while it runs, after garbage is collected.
 */
import { setTimeout as sleep } from "node:timers/promises";

import type { Link } from "../../src/core/contract/links.ts";
import { bundle } from "../support/bundle.ts";
import type { Figure } from "./figures.ts";
import { memoryInUse } from "./inspector.ts";
import { cpuSeconds, type HoplinkServer, startHoplink } from "./server.ts";

const CLICKS = 1_000_000;
const FILLED_AT_ONCE = 50_000;
const MEGABYTE = 1024 * 1024;
/** Bytes of the file between two memory readings. */
const LOOK_EVERY_BYTES = 50 * MEGABYTE;
const ISOLATES = ["hoplink", "objects"];

export async function exports(): Promise<Figure[]> {
  const script = await bundle("test/bench/export-worker.ts");
  const server = await startHoplink(script, { inspectorPort: 0, objectsApart: true });
  try {
    const link = await server.api.createLink();
    await fillLink(server, link, CLICKS);
    const ofLink = await measure(server, `/v1/links/${link.id}/clicks`, "of a link");
    await waitForAccount(server);
    return [...ofLink, ...(await measure(server, "/v1/clicks", "of an account"))];
  } finally {
    await server.stop();
  }
}

async function measure(server: HoplinkServer, path: string, whose: string): Promise<Figure[]> {
  // Memory loaded on first use does not count as growth.
  await readExport(server, path, "application/x-ndjson", 1);
  const before = await memoryOfIsolates(server);
  const growths: number[] = [];
  const look = async () => {
    const now = await memoryOfIsolates(server);
    growths.push(Math.max(...now.map((bytes, i) => bytes - (before[i] ?? 0))) / MEGABYTE);
  };
  const rows = await readExport(server, path, "application/x-ndjson", CLICKS, look);
  if (rows !== CLICKS) throw new Error(`${rows} of ${CLICKS} clicks ${whose} were exported`);
  const cpu = cpuSeconds(server.pid);
  await readExport(server, path, "text/csv", CLICKS);
  return [
    {
      name: `memory while 1 million clicks ${whose} are exported`,
      value: Math.max(...growths),
      unit: "MB",
      target: "<= 16",
    },
    { name: `CPU of an export of 1 million clicks ${whose} as CSV`, value: cpuSeconds(server.pid) - cpu, unit: "s" },
  ];
}

/** The first query reads past clicks. */
async function waitForAccount({ url, key }: HoplinkServer): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/v1/clicks?limit=1`, { headers: { Authorization: `Bearer ${key}` } });
    await response.body?.cancel();
    if (response.status === 200) return;
    if (response.status !== 503) throw new Error(`the account's clicks were answered with ${response.status}`);
    await sleep(1_000);
  }
}

async function fillLink(server: HoplinkServer, { id, domain, slug }: Link, clicks: number): Promise<void> {
  for (let filled = 0; filled < clicks; filled += FILLED_AT_ONCE) {
    const filling = { id, domain, slug, clicks: Math.min(FILLED_AT_ONCE, clicks - filled) };
    const response = await fetch(`${server.url}/.fill`, { method: "POST", body: JSON.stringify(filling) });
    if (response.status !== 204) throw new Error(`filling was answered with ${response.status}`);
  }
}

function memoryOfIsolates(server: HoplinkServer): Promise<number[]> {
  return Promise.all(ISOLATES.map((isolate) => memoryInUse(server, isolate)));
}

/** @returns the number of lines */
async function readExport(
  server: HoplinkServer,
  path: string,
  accept: string,
  limit: number,
  look: () => Promise<void> = async () => {},
): Promise<number> {
  const headers = { Authorization: `Bearer ${server.key}`, Accept: accept };
  const response = await fetch(`${server.url}${path}?limit=${limit}`, { headers });
  if (!response.body || response.status !== 200) throw new Error(`an export was answered with ${response.status}`);
  let lines = 0;
  let unseen = 0;
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    for (const byte of bytes) if (byte === 10) lines++;
    unseen += bytes.length;
    if (unseen < LOOK_EVERY_BYTES) continue;
    unseen = 0;
    await look();
  }
  return lines;
}
