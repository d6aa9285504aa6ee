/** Requests of the client to a server that refuses, breaks off or hangs. */
import type { ServerResponse } from "node:http";

import { afterAll, describe, expect, test } from "vitest";

import { Hoplink, HoplinkConnectionError, HoplinkError, isHoplinkError } from "../../src/client/index.ts";
import { eventually } from "../support/eventually.ts";
import { apiError, hang, hangUp, json, ScriptedServer } from "../support/scripted-server.ts";

const LINK = { id: "lnk_1", slug: "a" };
const API_KEY = "svc_test_key";

/** A server, its client, and the idempotency keys that it has sent. */
async function newService() {
  const server = await ScriptedServer.start();
  servers.push(server);
  const hoplink = new Hoplink({ apiKey: API_KEY, baseUrl: `${server.base}/` });
  const keysSent = () => server.requests.map(({ headers }) => headers["idempotency-key"]);
  return { server, hoplink, keysSent };
}

const servers: ScriptedServer[] = [];
const { server, hoplink, keysSent } = await newService();

afterAll(() => {
  for (const one of servers) one.stop();
});

test("a date is read by the service's clock, whatever the local time is", async () => {
  const then = Date.parse("2026-01-01T00:00:00Z");
  const headers = { Date: new Date(then).toUTCString(), "Retry-After": new Date(then + 300_000).toUTCString() };
  server.willReply(apiError(503, "unavailable", headers));
  await expect(hoplink.links.get("lnk_1")).rejects.toMatchObject({ retryAfter: 300 });
});

test("each call has its own idempotency key, or the caller's", async () => {
  server.willReply(json(201, LINK));
  const body = { url: "https://example.com/" };
  await hoplink.links.create(body);
  await hoplink.links.create(body);
  await hoplink.links.create(body, { idempotencyKey: "mine" });
  for (const name of ["Idempotency-Key", "idempotency-key", "IDEMPOTENCY-KEY"])
    await hoplink.links.create(body, { headers: { [name]: "in a header" } });
  await hoplink.links.create(body, { idempotencyKey: "mine", headers: { "idempotency-key": "in a header" } });
  const [first, second, ...given] = keysSent();
  expect(first).not.toBe(second);
  expect(given).toEqual(["mine", "in a header", "in a header", "in a header", "mine"]);
});

test("a bulk answer that is too long to be kept for a key is requested without one", async () => {
  const error = { code: "quota_exceeded", message: "too long", param: "Idempotency-Key", request_id: "req_1" };
  server.willReply(json(422, { error }), json(200, { results: [{ link: LINK }] }));
  expect(await hoplink.links.updateMany([{ id: "lnk_1" }])).toEqual([{ link: LINK }]);
  expect(keysSent()).toEqual([expect.any(String), undefined]);
  server.willReply(json(422, { error }));
  const own = hoplink.links.updateMany([{ id: "lnk_1" }], { idempotencyKey: "mine" });
  await expect(own).rejects.toMatchObject({ code: "quota_exceeded" });
  expect(keysSent()).toEqual(["mine-0"]);
  // Without a key it is unknown whether the request was done.
  server.willReply(json(422, { error }), hangUp);
  await expect(hoplink.links.updateMany([{ id: "lnk_1" }])).rejects.toBeInstanceOf(HoplinkConnectionError);
  expect(keysSent()).toHaveLength(2);
});

test("a 503 after a change throws, since the change may have been made; a 429 does not", async () => {
  server.willReply(apiError(503, "unavailable", { "Retry-After": "0" }), json(200, LINK));
  await expect(hoplink.links.update("lnk_1", {})).rejects.toMatchObject({ code: "unavailable", status: 503 });
  server.willReply(apiError(429, "rate_limited", { "Retry-After": "0" }), json(200, LINK));
  expect(await hoplink.links.update("lnk_1", {})).toEqual(LINK);
});

test("retries end after the maximum number, or if the wait would be too long", async () => {
  const few = new Hoplink({ apiKey: API_KEY, baseUrl: server.base, maxRetries: 2 });
  server.willReply(apiError(429, "rate_limited", { "Retry-After": "0" }));
  await expect(few.me()).rejects.toMatchObject({ code: "rate_limited", retryAfter: 0 });
  expect(server.requests.length).toBe(3);
  server.willReply(apiError(429, "rate_limited", { "Retry-After": "3600" }));
  await expect(few.me()).rejects.toMatchObject({ code: "rate_limited", retryAfter: 3_600 });
  expect(server.requests.length).toBe(1);
});

test("an error contains what the API reports", async () => {
  const errors = [{ path: "url", code: "required", message: "url is required" }];
  const error = {
    code: "validation_failed",
    message: "url is required",
    param: "url",
    errors,
    request_id: "req_7",
    doc_url: "d",
  };
  server.willReply(json(422, { error }));
  const thrown = await hoplink.links.create({ url: "" }).catch((caught: unknown) => caught);
  expect(thrown).toBeInstanceOf(HoplinkError);
  expect(thrown).toMatchObject({
    message: "url is required",
    status: 422,
    code: "validation_failed",
    param: "url",
    errors,
    requestId: "req_7",
    docUrl: "d",
    retryAfter: undefined,
  });
  expect(isHoplinkError(thrown, "validation_failed")).toBe(true);
  expect(isHoplinkError(thrown, "slug_taken")).toBe(false);
  expect(isHoplinkError(new Error("other"))).toBe(false);
  expect(server.requests.length).toBe(1);
});

test.each([
  ["a page", 200, "<h1>Welcome</h1>", {}, "<h1>Welcome</h1>"],
  ["a proxy's page", 404, "<h1>nginx</h1>", {}, "<h1>nginx</h1>"],
  ["JSON of another service", 400, `{"error":"no"}`, {}, `{"error":"no"}`],
  ["nothing", 500, "", {}, "an empty body"],
  ["a redirect", 301, "", { Location: "https://other.test/" }, "a redirect"],
])("%s in the place of the API's answer is reported as unexpected", async (_, status, body, headers, shown) => {
  server.willReply((response) => void response.writeHead(status, headers).end(body));
  const thrown = await hoplink.links.get("lnk_1").catch((caught: unknown) => caught);
  expect(thrown).toMatchObject({ code: "unexpected_response", status });
  expect(String(thrown)).toContain(shown);
  expect(server.requests.length).toBe(1);
});

test("a body that never ends is not read to its end", async () => {
  const piece = "x".repeat(1024 * 1024);
  for (const status of [200, 404, 500]) {
    let closed: Promise<unknown> = Promise.resolve();
    server.willReply((response) => {
      closed = new Promise((done) => response.once("close", done));
      const goOn = () => void (response.write(piece) ? setImmediate(goOn) : response.once("drain", goOn));
      response.writeHead(status);
      goOn();
    });
    await expect(hoplink.links.get("lnk_1")).rejects.toMatchObject({ code: "unexpected_response", status });
    await closed;
  }
});

test("Infinity means no time limit", async () => {
  const patient = new Hoplink({ apiKey: API_KEY, baseUrl: server.base, timeoutMs: Infinity, maxRetries: 0 });
  server.willReply((response, request) => void setTimeout(() => json(200, LINK)(response, request), 100));
  expect(await patient.links.get("lnk_1")).toEqual(LINK);
});

test("an abort ends a request, and the wait before a retry, with the signal's reason", async () => {
  const aborted = AbortSignal.abort();
  await expect(hoplink.me({ signal: aborted })).rejects.toMatchObject({ name: "AbortError" });
  for (const reply of [hang, apiError(429, "rate_limited", { "Retry-After": "60" })]) {
    server.willReply(reply);
    const controller = new AbortController();
    const call = hoplink.me({ signal: controller.signal });
    await eventually(() => server.requests.length > 0, "the request");
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(server.requests.length).toBe(1);
  }
});

test("an abort ends a file that is being read", async () => {
  server.willReply((response) => void response.writeHead(200, { "Content-Type": "text/csv" }).write("seq\n"));
  const controller = new AbortController();
  const file = await hoplink.links.exportClicks("lnk_1", { format: "csv" }, { signal: controller.signal });
  const reader = file.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("seq\n");
  controller.abort();
  await expect(reader.read()).rejects.toMatchObject({ name: "AbortError" });
});

/** A signal, and its listeners. */
function watchedSignal() {
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
  return { signal, listeners };
}

test("a file that is read, abandoned or broken off leaves no listener on the caller's signal", async () => {
  const { signal, listeners } = watchedSignal();
  const begins = (response: ServerResponse) => response.writeHead(200, { "Content-Type": "text/csv" }).write("seq\n");
  const open = () => hoplink.links.exportClicks("lnk_1", { format: "csv" }, { signal });

  server.willReply((response) => void response.end("seq\n"));
  expect(await new Response(await open()).text()).toBe("seq\n");
  server.willReply((response) => void begins(response));
  await (await open()).cancel();
  server.willReply((response) => (begins(response), setTimeout(() => response.destroy(), 50), undefined));
  await expect(new Response(await open()).text()).rejects.toThrow();
  expect(listeners.size).toBe(0);
});

test("a stream that no one reads leaves no listener on the caller's signal", () => {
  const { signal, listeners } = watchedSignal();
  hoplink.events.stream({ signal });
  expect(listeners.size).toBe(0);
});

test("an id that would lead elsewhere is not sent", async () => {
  server.willReply(json(200, LINK));
  for (const id of ["", ".", ".."]) await expect(hoplink.links.get(id)).rejects.toThrow(TypeError);
  expect(server.requests).toEqual([]);
  await hoplink.links.get("../me?x#y");
  expect(server.requests.map(({ path }) => path)).toEqual(["/v1/links/..%2Fme%3Fx%23y"]);
});

test("an invalid key or address is refused immediately, and the key is not shown", () => {
  const key = "svc_live_secret\n";
  expect(() => new Hoplink({ apiKey: key, baseUrl: server.base })).toThrow(/^(?!.*secret).*apiKey/);
  expect(() => new Hoplink({ apiKey: undefined as unknown as string, baseUrl: server.base })).toThrow("apiKey");
  const hop = "hop.example.com";
  for (const baseUrl of [
    "",
    hop,
    "file:///etc",
    `https://${hop}/v1/`,
    `https://ann:secret@${hop}`,
    `https://${hop}?a`,
  ]) {
    expect(() => new Hoplink({ apiKey: API_KEY, baseUrl })).toThrow(/^(?!.*secret)baseUrl must be/);
  }
  expect(JSON.stringify(hoplink)).not.toContain(API_KEY);
});

test("withResponse returns the ETag, and its error is thrown once", async () => {
  server.willReply(json(200, LINK, { ETag: '"3"', "X-Request-Id": "req_9" }));
  const { data, etag, response } = await hoplink.links.get("lnk_1").withResponse();
  expect([data, etag, response.headers.get("X-Request-Id")]).toEqual([LINK, '"3"', "req_9"]);
  server.willReply(apiError(404, "link_not_found"));
  await expect(hoplink.links.get("lnk_1").withResponse()).rejects.toMatchObject({ code: "link_not_found" });
  server.willReply((response) => void response.writeHead(204).end());
  expect(await hoplink.links.delete("lnk_1", { ifMatch: '"3"', erase: true })).toBe(undefined);
  expect(server.requests[0]).toMatchObject({ path: "/v1/links/lnk_1?erase=true", headers: { "if-match": '"3"' } });
});

// Each waits for seconds.
describe.concurrent("in real time", () => {
  test("a request that hangs ends after timeoutMs, even within the body, and is retried", async () => {
    const { server } = await newService();
    const quick = new Hoplink({ apiKey: API_KEY, baseUrl: server.base, timeoutMs: 1_000, maxRetries: 2 });
    server.willReply(hang, (response) => void response.writeHead(200).write(`{"id":`), json(200, LINK));
    expect(await quick.links.get("lnk_1")).toEqual(LINK);
    server.willReply(hang);
    await expect(quick.links.delete("lnk_1")).rejects.toThrow("timed out after 1000 ms");
  });

  test("Retry-After may be a date", async () => {
    const { server, hoplink } = await newService();
    const date = new Date(Date.now() + 2_000).toUTCString();
    server.willReply(apiError(503, "unavailable", { "Retry-After": date }), json(200, LINK));
    const startedAt = Date.now();
    await hoplink.links.get("lnk_1");
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(date) - 20);
    expect(Date.now() - startedAt).toBeLessThan(20_000);
  });

  test("429 is retried after Retry-After, with the same idempotency key", async () => {
    const { server, hoplink, keysSent } = await newService();
    server.willReply(apiError(429, "rate_limited", { "Retry-After": "1" }), json(201, LINK));
    expect(await hoplink.links.create({ url: "https://example.com/" })).toEqual(LINK);
    const [first, second] = server.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
    expect(server.requests.map(({ body }) => body)).toEqual([first?.body, first?.body]);
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${API_KEY}`, "content-type": "application/json" });
    expect(new Set(keysSent()).size).toBe(1);
    expect(first?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/);
  });

  test("onRetry gets the reason and length of each wait, and is not called without a wait", async () => {
    const { server } = await newService();
    const waits: [code: string, ms: number][] = [];
    const onRetry = (error: Error, ms: number) => waits.push([error instanceof HoplinkError ? error.code : "", ms]);
    const watched = new Hoplink({ apiKey: API_KEY, baseUrl: server.base, maxRetries: 1, onRetry });
    server.willReply(apiError(429, "rate_limited", { "Retry-After": "1" }), json(201, LINK));
    await watched.links.create({ url: "https://example.com/" });
    expect(waits).toEqual([["rate_limited", expect.any(Number)]]);
    expect(waits[0]?.[1]).toBeGreaterThanOrEqual(1_000);
    server.willReply(apiError(429, "rate_limited", { "Retry-After": "3600" }));
    await expect(watched.me()).rejects.toMatchObject({ retryAfter: 3_600 });
    expect(waits).toHaveLength(1);
  });

  test("a broken connection: safe requests are retried, others throw", async () => {
    const { server, hoplink } = await newService();
    for (const safe of [
      () => hoplink.links.get("lnk_1"),
      () => hoplink.links.create({ url: "https://example.com/" }),
      () => hoplink.links.resolve("lnk_1", {}),
      () => hoplink.links.restore("lnk_1", 3),
    ]) {
      server.willReply(hangUp, json(200, LINK));
      expect(await safe()).toEqual(LINK);
      expect(server.requests.length).toBe(2);
    }
    for (const unsafe of [() => hoplink.links.update("lnk_1", { title: "x" }), () => hoplink.links.delete("lnk_1")]) {
      server.willReply(hangUp, json(200, LINK));
      await expect(unsafe()).rejects.toBeInstanceOf(HoplinkConnectionError);
      expect(server.requests.length).toBe(1);
    }
  });
});
