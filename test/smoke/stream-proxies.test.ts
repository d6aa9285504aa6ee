/**
 * 4.6 The live stream through proxies: wrangler's development proxy, nginx as installed, and nginx that keeps reading
 * after a client has left. Events arrive immediately, and the slots of clients that have left are free again.
 */
import { beforeAll, expect, test } from "vitest";

import { STREAMS_MAX } from "../../src/core/limits.ts";
import { ApiClient } from "../support/api-client.ts";
import type { DevServer } from "../support/dev-server.ts";
import { eventually, pause } from "../support/eventually.ts";
import { Nginx, NGINX } from "../support/nginx.ts";
import { openRawStream, type RawStream } from "../support/raw-stream.ts";
import { sharedServer } from "../support/shared-server.ts";

let server: DevServer;

beforeAll(async () => {
  server = await sharedServer();
});

/** The address that a client connects to. */
const direct = () => Promise.resolve({ origin: `http://127.0.0.1:${server.port}`, stop: () => Promise.resolve() });
const nginx = (directives?: string) => () => Nginx.start(server.base, directives);

const missing = NGINX ? "" : " (skipped: nginx is not installed; Debian: apt-get install nginx-light)";
const PROXIES = [
  { name: "the development proxy", start: direct, there: true },
  { name: `nginx${missing}`, start: nginx(), there: NGINX !== undefined },
  {
    name: `nginx that ignores that clients leave${missing}`,
    start: nginx("proxy_ignore_client_abort on;"),
    there: NGINX !== undefined,
  },
];

for (const { name, start, there } of PROXIES) {
  test.skipIf(!there)(
    `4.6 through ${name} events arrive, and abandoned places are free within two seconds`,
    async () => {
      const { live: key } = server.accounts.Free;
      const link = await new ApiClient(server.base, key).createLink();
      const proxy = await start();
      const open = () => openRawStream(proxy.origin, new URL(server.base).host, { Authorization: `Bearer ${key}` });
      const streams: RawStream[] = [];
      try {
        for (let i = 0; i < STREAMS_MAX.free; i++) streams.push(await open());
        expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
        const all = async (text: string) =>
          eventually(() => streams.every((stream) => stream.text().includes(text)), `${text} on every stream`, 10_000);
        await all("event: ready\ndata: {}");
        await fetch(link.short_url, { redirect: "manual" });
        await all("event: click");
        expect((await open()).status).toBe(429);
        for (const { socket } of streams) socket.destroy();
        const first = await open();
        // An abandoned slot is free immediately, or after `Retry-After`.
        if (first.status === 429) await pause(1_000 * Number(/^Retry-After: (\d+)/im.exec(first.text())?.[1]));
        const last = first.status === 429 ? await open() : first;
        expect(last.status, last.text()).toBe(200);
        last.socket.destroy();
      } finally {
        for (const { socket } of streams) socket.destroy();
        await proxy.stop();
      }
    },
  );
}
