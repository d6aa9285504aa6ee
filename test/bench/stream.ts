/**
 * A thousand open streams of one account while its links get a hundred clicks a second: the time from a redirect's
 * answer to the event, the memory of an open stream, and whether ten thousand connecting and disconnecting clients
 * leave anything behind.
 */
import { Buffer } from "node:buffer";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";

import { streamLimits } from "../../src/core/deployment/settings.ts";
import { STREAMS_MAX } from "../../src/core/limits.ts";
import { eventually, pause } from "../support/eventually.ts";
import { type Figure, median } from "./figures.ts";
import { memoryInUse } from "./inspector.ts";
import { type HoplinkServer, residentBytes, startHoplink } from "./server.ts";
import { calibrated, stepFigures } from "./step-cpu.ts";

const STREAMS = 1_000;
/** Ten times the plan's limit, so that one object serves them all. */
const STREAMS_PER_KEY = 200;
const LINKS = 20;
const CLICKS_PER_SECOND = 100;
const SECONDS = 10;
const WARM_UP_SECONDS = 2;
const SHORT_CLIENTS = 10_000;
const SHORT_CLIENTS_AT_ONCE = 100;
const SETTLE_MS = 60_000;
const KIBIBYTE = 1_024;
const MESSAGES_MAX = streamLimits({ WORKERS_PLAN: "paid" }).messagesMax;
/** A third of what an invocation may use. */
const STREAM_CPU_MAX_S = 10;

export async function stream(script: string): Promise<Figure[]> {
  const server = await startHoplink(withMoreStreams(script), { inspectorPort: 0 });
  try {
    const slugs = Array.from({ length: LINKS }, (_, i) => `streamed-${i}`);
    await server.api.createLinks(slugs);
    const keys = await Promise.all(Array.from({ length: STREAMS / STREAMS_PER_KEY }, () => server.newKey()));
    // Memory loaded by the first streams is not part of a stream's weight.
    await Promise.all((await openAll(server, keys.slice(0, 1))).map(closeClient));
    const [heap, resident] = [await memoryInUse(server, "hoplink"), residentBytes(server.pid)];
    const clients = await openAll(server, keys);
    const weights = [(await memoryInUse(server, "hoplink")) - heap, residentBytes(server.pid) - resident];
    const [inHeap = NaN, inProcess = NaN] = weights.map((bytes) => bytes / STREAMS / KIBIBYTE);

    await sendClicks(server, slugs, WARM_UP_SECONDS, "warm");
    const measured = await calibrated(server, async () => {
      const answeredAt = await sendClicks(server, slugs, SECONDS, "v");
      await eventually(() => clients.every(({ seen }) => seen >= answeredAt.length), "every event on every stream");
      return { answeredAt };
    });
    const { answeredAt } = measured;
    const messages = clients.reduce((sum, client) => sum + client.messages, 0);
    const doubled = clients.filter(({ seen }) => seen !== answeredAt.length).length;
    const delays = clients.flatMap(({ arrivals }) => arrivals.map(({ click, at }) => at - (answeredAt[click] ?? NaN)));
    delays.sort((a, b) => a - b);
    await Promise.all(clients.map(closeClient));

    const clicks = sendClicks(server, slugs, (SHORT_CLIENTS / SHORT_CLIENTS_AT_ONCE) * 0.5, "x");
    const refused = await connectAndDisconnect(server, keys);
    await clicks;
    const again = await openAll(server, keys);
    await Promise.all(again.map(closeClient));
    return [
      { name: "stream: answer to event, median", value: median(delays), unit: "ms", target: "<= 50" },
      { name: "stream: answer to event, p99", value: quantile(delays, 0.99), unit: "ms", target: "<= 400" },
      { name: "stream: answer to event, slowest", value: quantile(delays, 1), unit: "ms" },
      { name: "stream: events received", value: delays.length, unit: `of ${STREAMS * answeredAt.length}` },
      { name: "stream: streams with an event too many", value: doubled, unit: "", target: "<= 0" },
      // Includes the redirects, the objects and the database.
      ...stepFigures("stream: the messages of its life", measured, messages, MESSAGES_MAX, STREAM_CPU_MAX_S),
      { name: "stream: memory of an open stream, isolate", value: inHeap, unit: "KiB", target: "<= 32" },
      { name: "stream: memory of an open stream, process", value: inProcess, unit: "KiB" },
      { name: "stream: connects that had to wait for a place", value: refused, unit: `of ${SHORT_CLIENTS}` },
      { name: "stream: places free after they left", value: again.length, unit: "", target: `>= ${STREAMS}` },
    ];
  } finally {
    await server.stop();
  }
}

/** The Worker, except that a key may have more streams: the limit is a constant of the code, not a binding. */
function withMoreStreams(script: string): string {
  const limit = new RegExp(String.raw`\{\s*free:\s*${STREAMS_MAX.free},\s*premium:\s*${STREAMS_MAX.premium}\s*\}`, "g");
  if (script.match(limit)?.length !== 1) throw new Error("the limit of open streams is not where it was");
  return script.replace(limit, JSON.stringify({ ...STREAMS_MAX, premium: STREAMS_PER_KEY }));
}

interface Client {
  socket: Socket;
  arrivals: { click: number; at: number }[];
  seen: number;
  /** Received with events in them. */
  messages: number;
}

/** As many streams as all these keys may have, once a slot is free for each. */
async function openAll(server: HoplinkServer, keys: readonly string[]): Promise<Client[]> {
  const wanted = keys.flatMap((key) => Array.from({ length: STREAMS_PER_KEY }, () => key));
  const deadline = Date.now() + SETTLE_MS;
  const clients: Client[] = [];
  for (const key of wanted) {
    let client = await openClient(server, key);
    while (!client && Date.now() < deadline) {
      await pause(200);
      client = await openClient(server, key);
    }
    if (client) clients.push(client);
  }
  return clients;
}

const MARK = Buffer.from('"referrer":"v');

/** A stream, or null when the key has too many. Reads only the necessary part of an event, since there are many. */
async function openClient(server: HoplinkServer, key: string): Promise<Client | null> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(`GET /v1/events/stream HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  const head = await new Promise<string>((done) => {
    socket.once("data", (data: Buffer) => done(String(data)));
    socket.once("close", () => done(""));
  });
  if (!head.startsWith("HTTP/1.1 200")) {
    socket.destroy();
    if (!head.includes(" 429 ")) throw new Error(`no stream: ${head}`);
    return null;
  }
  const client: Client = { socket, arrivals: [], seen: 0, messages: 0 };
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (data: Buffer) => {
    const now = performance.now();
    const text = rest.length > 0 ? Buffer.concat([rest, data]) : data;
    let next = 0;
    for (let found = text.indexOf(MARK); found >= 0; found = text.indexOf(MARK, next)) {
      const end = text.indexOf(".", found);
      if (end < 0) break;
      client.arrivals.push({ click: Number(text.toString("latin1", found + MARK.length, end)), at: now });
      client.seen++;
      next = end;
    }
    if (next > 0) client.messages++;
    rest = text.subarray(Math.max(next, text.length - MARK.length - 8));
  });
  return client;
}

async function closeClient({ socket }: Client): Promise<void> {
  const closed = new Promise((done) => socket.once("close", done));
  socket.destroy();
  await closed;
}

/** Clicks at the set rate, on the links in turn. @returns when each was answered, by `performance.now()` */
async function sendClicks(
  server: HoplinkServer,
  slugs: readonly string[],
  seconds: number,
  name: string,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const answeredAt: number[] = [];
  const pending: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let i = 0; i < seconds * CLICKS_PER_SECOND; i++) {
    await pause(Math.max(startedAt + (i * 1_000) / CLICKS_PER_SECOND - performance.now(), 0));
    const url = `${server.url}/${slugs[i % slugs.length]}`;
    pending.push(
      new Promise((done, failed) => {
        const sent = request(url, { agent, headers: { Referer: `https://${name}${i}.example/` } }, (response) => {
          answeredAt[i] = performance.now();
          if (response.statusCode !== 302) failed(new Error(`a visit was answered with ${response.statusCode}`));
          response.resume();
          response.once("end", done);
        });
        sent.once("error", failed);
        sent.end();
      }),
    );
  }
  await Promise.all(pending);
  agent.destroy();
  return answeredAt;
}

/** Clients that connect, wait until the stream is open, and disconnect. @returns how many were refused at first */
async function connectAndDisconnect(server: HoplinkServer, keys: readonly string[]): Promise<number> {
  let [come, refused] = [0, 0];
  const one = async () => {
    while (come < SHORT_CLIENTS) {
      const key = keys[come++ % keys.length] ?? "";
      const client = await openClient(server, key);
      if (client) await closeClient(client);
      else {
        refused++;
        come--;
        await pause(50);
      }
    }
  };
  await Promise.all(Array.from({ length: SHORT_CLIENTS_AT_ONCE }, one));
  return refused;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? NaN;
}
