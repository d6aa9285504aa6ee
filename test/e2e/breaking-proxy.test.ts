/** The proxy that breaks off streams (test/support): a client gets everything up to the cut, and nothing after it. */
import type { Buffer } from "node:buffer";
import { get } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";

import { BreakingProxy } from "../support/breaking-proxy.ts";
import { eventually } from "../support/eventually.ts";
import { listenOnFreePort } from "../support/ports.ts";

const TEXT = "the text";
const HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

let upstream: Server;
let target: string;
/** Socket of the newest connection to the upstream. */
let socket: Socket | undefined;

beforeAll(async () => {
  upstream = createServer((one) => {
    one.on("error", () => {});
    one.once("data", () => {
      one.write(HEAD);
      socket = one;
    });
  });
  target = `http://127.0.0.1:${await listenOnFreePort(upstream)}`;
});

afterAll(() => upstream?.close());

const SPLITS = Array.from({ length: TEXT.length }, (_, i) => [TEXT.slice(0, i), TEXT.slice(i)]);

test.each(["ended", "broken"] as const)("a response that is %s ends after the text of the cut", async (how) => {
  for (const [start, rest] of SPLITS) {
    const proxy = await BreakingProxy.start(target);
    try {
      const client = openStream(proxy.port);
      await eventually(() => socket !== undefined, "the request");
      sendAtOnce(`before ${TEXT},`);
      await eventually(() => client.received() === `before ${TEXT},`, "the text before the cut");
      const isCut = proxy.cutBehind(TEXT, how);
      sendAtOnce("another,", `frame: ${start}`, `${rest} cut off`, "the next", `${TEXT} again`);
      await isCut;
      await client.ended;
      expect(client.received()).toBe(`before ${TEXT},another,frame: ${TEXT}`);
    } finally {
      proxy.stop();
      socket?.destroy();
      socket = undefined;
    }
  }
});

/** Sends all chunks in one write, so that the proxy reads them all before it can do anything else. */
function sendAtOnce(...chunks: string[]): void {
  socket?.write(chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join(""));
}

function openStream(port: number): { received: () => string; ended: Promise<void> } {
  let received = "";
  const ended = new Promise<void>((done) => {
    const request = get({ port, host: "127.0.0.1", path: "/v1/events/stream" }, (response) => {
      response.on("data", (chunk: Buffer) => (received += String(chunk)));
      response.on("error", () => {});
      response.once("close", done);
    });
    request.on("error", () => done());
  });
  return { received: () => received, ended };
}
