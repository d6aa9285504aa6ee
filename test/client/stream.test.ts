/** The client's live stream against a server that refuses, breaks off, falls silent and repeats itself. */
import { once } from "node:events";
import { afterAll, describe, expect, test } from "vitest";

import { HoplinkConnectionError, type StreamEvent, type StreamOptions } from "../../src/client/index.ts";
import { scriptedClient } from "../support/scripted-client.ts";
import { apiError, hang, hangUp, type Reply, type ScriptedServer } from "../support/scripted-server.ts";

/** A server, the client's stream from it, and the cursors that the client has sent. */
async function newService() {
  const { server, hoplink } = await scriptedClient();
  servers.push(server);
  /** The events up to the last one wanted, as short texts. */
  async function collect(last: string, options: StreamOptions = {}): Promise<string[]> {
    const seen: string[] = [];
    for await (const event of hoplink.events.stream(options)) {
      seen.push(textOf(event));
      if (seen.at(-1) === last) return seen;
    }
    return seen;
  }
  const cursorsSent = () => server.requests.map(({ path }) => new URL(path, server.base).searchParams.get("since"));
  return { server, hoplink, collect, cursorsSent };
}

const servers: ScriptedServer[] = [];
const { server, hoplink, collect, cursorsSent } = await newService();

afterAll(() => {
  for (const one of servers) one.stop();
});

const READY = "retry: 20\n: welcome\n\nid: c0\nevent: ready\ndata: {}\n\n";
const frame = (n: number, type = "click", data: object = { id: `evt_${n}` }) =>
  `id: c${n}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

/** @param then  what happens to the connection */
function stream(text: string, then: "ends" | "breaks" | "stays" = "ends"): Reply {
  return (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
    response.write(text, () => {
      if (then === "ends") response.end();
      if (then === "breaks") response.socket?.destroy();
    });
  };
}

function textOf(event: StreamEvent): string {
  if (event.type === "click") return `${event.click.id} at ${event.cursor}`;
  return event.type === "gap" ? `gap ${event.from} ${event.to} at ${event.cursor}` : `ready at ${event.cursor}`;
}

test("continues after the last event that it returned, after an end and after a break", async () => {
  server.willReply(
    stream(READY + frame(1)),
    stream(`${READY}${frame(2)}${frame(3).slice(0, -1)}`, "breaks"),
    stream(READY + frame(3), "stays"),
  );
  const seen = await collect("evt_3 at c3");
  expect(seen.filter((text) => !text.startsWith("ready"))).toEqual(["evt_1 at c1", "evt_2 at c2", "evt_3 at c3"]);
  // A break within an event may also have discarded data received just before it.
  expect(["c0", "c1", "c2"]).toContain(cursorsSent()[2]);
  expect(cursorsSent().slice(0, 2)).toEqual([null, "c1"]);
});

test("begins at a Last-Event-ID among the headers, and continues from there", async () => {
  server.willReply(stream(READY + frame(1)), stream(READY + frame(2), "stays"));
  await collect("evt_2 at c2", { headers: { "Last-Event-ID": "c-given" } });
  expect(cursorsSent()).toEqual(["c-given", "c1"]);
  expect(server.requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, undefined]);
});

test("returns an event once, even if it is sent again", async () => {
  server.willReply(stream(READY + frame(1) + frame(2)), stream(READY + frame(1) + frame(2) + frame(3), "stays"));
  expect((await collect("evt_3 at c3")).filter((text) => text.startsWith("evt"))).toEqual([
    "evt_1 at c1",
    "evt_2 at c2",
    "evt_3 at c3",
  ]);
});

test.each([
  [401, "invalid_api_key"],
  [403, "insufficient_scope"],
  [404, "link_not_found"],
  [422, "validation_failed"],
])("ends with an error that a retry would repeat: %i %s", async (status, code) => {
  server.willReply(stream(READY + frame(1)), apiError(status, code));
  await expect(collect("")).rejects.toMatchObject({ status, code });
  expect(server.requests.length).toBe(2);
});

test.each([
  ["a page", ((response) => void response.writeHead(200, { "Content-Type": "text/html" }).end("hi")) as Reply],
  ["an event that is not JSON", stream("event: click\ndata: {\n\n", "stays")],
  ["an event without an end", stream(`data: ${"x".repeat(1_100_000)}`, "stays")],
])("ends with %s in the place of the stream", async (_, reply) => {
  server.willReply(reply);
  await expect(collect("")).rejects.toMatchObject({ code: "unexpected_response" });
});

test("an abort ends the stream, even if more events have arrived already", async () => {
  server.willReply(stream(READY + frame(1) + frame(2) + frame(3), "stays"));
  const controller = new AbortController();
  const seen: string[] = [];
  const following = async () => {
    for await (const event of hoplink.events.stream({ signal: controller.signal })) {
      seen.push(event.type);
      if (event.type === "click") controller.abort();
    }
  };
  await expect(following()).rejects.toMatchObject({ name: "AbortError" });
  expect(seen).toEqual(["ready", "click"]);
});

/** @returns the end of the connection, as the server sees it */
function openConnection(): Promise<unknown> {
  return new Promise((done, fail) => {
    server.willReply((response, request) => {
      stream(READY, "stays")(response, request);
      once(response, "close").then(done, fail);
    });
  });
}

test("break closes the connection", async () => {
  const closed = openConnection();
  for await (const { type } of hoplink.events.stream()) {
    expect(type).toBe("ready");
    break;
  }
  await closed;
});

test("return() closes the connection even while the stream waits for bytes", async () => {
  const closed = openConnection();
  const events = hoplink.events.stream();
  await events.next();
  const waiting = events.next();
  await events.return();
  expect(await waiting).toEqual({ done: true, value: undefined });
  await closed;
});

test("the signal ends it with its reason: while it waits for bytes, for a retry, and before it begins", async () => {
  const closed = openConnection();
  const controller = new AbortController();
  const events = hoplink.events.stream({ signal: controller.signal });
  await events.next();
  const waiting = events.next();
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await closed;
  server.willReply(apiError(429, "too_many_streams", { "Retry-After": "60" }));
  await expect(collect("", { signal: AbortSignal.timeout(200) })).rejects.toMatchObject({ name: "TimeoutError" });
  server.willReply(hang);
  await expect(collect("", { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
  expect(server.requests).toEqual([]);
});

// Each waits for seconds.
describe.concurrent("in real time", () => {
  test("heartbeats keep a quiet connection", async () => {
    const { server, collect } = await newService();
    server.willReply((response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" }).write(READY);
      let beats = 0;
      const beating = setInterval(() => {
        response.write(++beats < 10 ? ": heartbeat\n\n" : frame(1));
        if (beats === 10) clearInterval(beating);
      }, 400);
      response.once("close", () => clearInterval(beating));
    });
    expect(await collect("evt_1 at c1", { silenceMs: 3_000 })).toEqual(["ready at c0", "evt_1 at c1"]);
    expect(server.requests.length).toBe(1);
  });

  test("retries after 429, 503, a proxy's error and a refused connection, not before Retry-After", async () => {
    const { server, collect } = await newService();
    const proxyError: Reply = (response) => void response.writeHead(502).end("<h1>Bad gateway</h1>");
    server.willReply(
      stream(READY),
      apiError(429, "too_many_streams", { "Retry-After": "1" }),
      apiError(503, "unavailable"),
      proxyError,
      hangUp,
      stream(READY + frame(1), "stays"),
    );
    const reasons: string[] = [];
    await collect("evt_1 at c1", { onReconnect: (reason) => reasons.push((reason as Error).name) });
    expect(server.requests.length).toBe(6);
    const [, refused, next] = server.requests;
    expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(990);
    const refusals = ["HoplinkError", "HoplinkError", "HoplinkError"];
    expect(reasons).toEqual(["HoplinkConnectionError", ...refusals, "HoplinkConnectionError"]);
  });

  test("a silent connection counts as broken: before the answer, and within it", async () => {
    const { server, collect, cursorsSent } = await newService();
    server.willReply(hang, stream(READY + frame(1), "stays"), stream(READY + frame(2), "stays"));
    const reasons: unknown[] = [];
    const seen = await collect("evt_2 at c2", { silenceMs: 1_000, onReconnect: (reason) => reasons.push(reason) });
    expect(seen.filter((text) => text.startsWith("evt"))).toEqual(["evt_1 at c1", "evt_2 at c2"]);
    expect(cursorsSent()).toEqual([null, null, "c1"]);
    expect(reasons).toEqual([expect.any(HoplinkConnectionError), expect.any(HoplinkConnectionError)]);
  });

  test("a caller who is slow to handle an event does not lose the connection", async () => {
    const { server, hoplink } = await newService();
    server.willReply(stream(READY + frame(1), "stays"));
    const events = hoplink.events.stream({ silenceMs: 1_500 });
    await events.next();
    await new Promise((done) => setTimeout(done, 2_000)); // Longer than the silence.
    expect((await events.next()).value).toMatchObject({ type: "click" });
    expect(server.requests.length).toBe(1);
    await events.return();
  });

  test("reports gaps, ignores unknown events, and keeps the cursor of both", async () => {
    const { server, collect, cursorsSent } = await newService();
    const gap = { from: "2026-01-01T00:00:00.000Z", to: "2026-01-02T00:00:00.000Z" };
    server.willReply(stream(frame(5, "gap", gap) + frame(6, "news", { any: 1 })), stream(frame(7), "stays"));
    expect(await collect("evt_7 at c7", { since: "c1", linkId: "lnk_1", includeBots: true, origin: "all" })).toEqual([
      `gap ${gap.from} ${gap.to} at c5`,
      "evt_7 at c7",
    ]);
    expect(cursorsSent()).toEqual(["c1", "c6"]);
    expect(server.requests[0]?.path).toBe("/v1/events/stream?link_id=lnk_1&include_bots=true&origin=all&since=c1");
  });

  test("a service that ends every stream is called with a wait in between, even if it requests none", async () => {
    const { server, collect } = await newService();
    server.willReply(stream(READY.replace("retry: 20", "retry: 0")));
    const waits: number[] = [];
    const controller = new AbortController();
    const onReconnect = (_: unknown, waitMs: number) => void (waits.push(waitMs) === 20 && controller.abort());
    await expect(collect("", { signal: controller.signal, onReconnect })).rejects.toMatchObject({ name: "AbortError" });
    expect(waits.reduce((sum, wait) => sum + wait)).toBeGreaterThan(100);
  });
});
