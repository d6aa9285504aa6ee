/** How often the isolates that serve one link call its object, and how long clicks wait for that. In virtual time. */
import {
  busiestSecond,
  type SimulatedLoad,
  longestWaitMs,
  type SimulatedLoadResult,
} from "../support/simulated-load.ts";
import type { Figure } from "./figures.ts";
import { bundle } from "../support/bundle.ts";
import { type Server, startLogServer } from "./server.ts";

const LOADS: SimulatedLoad[] = [
  { isolates: 300, clicksPerSecond: 5, seconds: 30 },
  { isolates: 2_000, clicksPerSecond: 2, seconds: 60 },
  { isolates: 2_000, clicksPerSecond: 20, seconds: 20 },
];
/** After this time each isolate has had its first click, whose call no object can delay. */
const START_UP_MS = 6_000;

export async function senders(): Promise<Figure[]> {
  const server = await startLogServer(await bundle("test/bench/senders-worker.ts"));
  const figures: Figure[] = [];
  try {
    for (const crowd of LOADS) figures.push(...figuresOf(crowd, await send(server, crowd)));
    return figures;
  } finally {
    await server.stop();
  }
}

async function send(server: Server, crowd: SimulatedLoad): Promise<SimulatedLoadResult> {
  const name = `crowd-${crowd.isolates}-${crowd.clicksPerSecond}`;
  const response = await fetch(`${server.url}/${name}`, { method: "POST", body: JSON.stringify(crowd) });
  if (!response.ok) throw new Error(`senders: ${response.status} ${await response.text()}`);
  const sent = (await response.json()) as SimulatedLoadResult;
  if (sent.counted !== sent.clicks) throw new Error(`senders: ${sent.counted} clicks counted of ${sent.clicks}`);
  return sent;
}

function figuresOf({ isolates, clicksPerSecond, seconds }: SimulatedLoad, sent: SimulatedLoadResult): Figure[] {
  const who = `${isolates} isolates, ${clicksPerSecond} clicks/s each`;
  const busiest = busiestSecond(sent, START_UP_MS, seconds * 1_000);
  return [
    { name: `${who}: first second`, value: busiestSecond(sent, 0, 1_000), unit: "calls" },
    { name: `${who}: busiest second after`, value: busiest, unit: "calls", target: "<= 500" },
    { name: `${who}: longest wait`, value: longestWaitMs(sent), unit: "ms" },
  ];
}
