/** Requests that an object of the service answers, on Workers' Free plan, and what they are told when it does not. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import worker from "../../src/worker.ts";
import { premiumAccount } from "../support/test-accounts.ts";
import { BASE_URL } from "../support/test-accounts.ts";

afterEach(() => vi.restoreAllMocks());

/** Objects that fail so many times. */
function failing(times: number, fault: object = { retryable: true }): { SERVICE: Env["SERVICE"]; asked: string[] } {
  const asked: string[] = [];
  const getByName = (name: string) => ({
    fetch: (request: Request) => {
      asked.push(name);
      return asked.length <= times
        ? Promise.reject(Object.assign(new Error("reset because its code was updated"), fault))
        : env.SERVICE.getByName(name).fetch(request);
    },
  });
  return { SERVICE: { getByName } as unknown as Env["SERVICE"], asked };
}

async function send(SERVICE: Env["SERVICE"], path: string, init: RequestInit = {}): Promise<Response> {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  const ctx = createExecutionContext();
  const request = new Request(BASE_URL + path, init) as Parameters<typeof worker.fetch>[0];
  const response = await worker.fetch(request, { ...env, WORKERS_PLAN: "free", SERVICE } as unknown as Env, ctx);
  await waitOnExecutionContext(ctx);
  return response;
}

test("a request that changes nothing is sent again when its object was reset", async () => {
  const { SERVICE, asked } = failing(1);
  const response = await send(SERVICE, "/health");
  expect([response.status, asked.length]).toEqual([200, 2]);
  await response.text();
});

test("one that changes something is not: 503 unavailable, as any error of the API", async () => {
  const { SERVICE, asked } = failing(1);
  const ann = await premiumAccount();
  const headers = {
    Authorization: `Bearer ${ann.key}`,
    "Content-Type": "application/json",
    Origin: "https://a.example",
  };
  const body = JSON.stringify({ url: "https://example.com/" });
  const response = await send(SERVICE, "/v1/links", { method: "POST", headers, body });
  expect([response.status, response.headers.get("Retry-After"), asked.length]).toEqual([503, "5", 1]);
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  expect(await response.json()).toEqual({
    error: {
      code: "unavailable",
      message: expect.any(String),
      request_id: response.headers.get("X-Request-Id"),
      doc_url: `${BASE_URL}/docs/errors#unavailable`,
    },
  });
});

test("a person who opens the dashboard meanwhile sees a page; the API answers a browser in JSON, too", async () => {
  const headers = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const { SERVICE } = failing(9, { overloaded: true });
  const page = await send(SERVICE, "/dashboard/links", { headers });
  expect([page.status, page.headers.get("Content-Type")]).toEqual([503, "text/html; charset=utf-8"]);
  expect([page.headers.get("Retry-After"), page.headers.get("Cache-Control")]).toEqual(["5", "no-store"]);
  expect(await page.text()).toContain("This page cannot be shown just now");
  for (const path of ["/v1/links", "/dashboard/api/account"]) {
    const answer = await send(SERVICE, path, { headers });
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([503, "application/json"]);
    await answer.text();
  }
});

test("an object that has too many requests gets no second one", async () => {
  const { SERVICE, asked } = failing(1, { retryable: true, overloaded: true });
  const response = await send(SERVICE, "/health");
  expect([response.status, asked.length]).toEqual([503, 1]);
  await response.text();
});

test("requests of one network have one object, whatever key they send; different networks are spread over a few", async () => {
  const { SERVICE, asked } = failing(0);
  const from = async (address: string, key: string) => {
    const headers = { "CF-Connecting-IP": address, Authorization: `Bearer ${key}` };
    await (await send(SERVICE, "/health", { headers })).text();
  };
  for (let i = 0; i < 40; i++) await from(`2001:db8::${i}`, `svc_live_${i}`);
  expect(new Set(asked).size).toBe(1);
  for (let i = 0; i < 40; i++) await from(`2001:db8:0:${i}::1`, "svc_live_1");
  expect(new Set(asked).size).toBeGreaterThan(4);
  expect(new Set(asked).size).toBeLessThanOrEqual(16);
});

test.each(["/v1/events/stream", "/v1/events/strea%6d", "/v1/%65vents/str%65am"])(
  "%s is a stream, which no object answers",
  async (path) => {
    const { SERVICE, asked } = failing(0);
    const ann = await premiumAccount();
    const response = await send(SERVICE, path, { method: "HEAD", headers: { Authorization: `Bearer ${ann.key}` } });
    expect([response.status, asked]).toEqual([200, []]);
  },
);

test.each(["/v1/events/%ff/stream", "/v1/%zz/events/streams"])("%s is none", async (path) => {
  const { SERVICE, asked } = failing(0);
  const response = await send(SERVICE, path);
  expect([response.status, asked.length]).toEqual([401, 1]);
  await response.text();
});
