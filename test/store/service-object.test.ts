/** Requests that an object of the service answers, on Workers' Free plan, and what they are told when it does not. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";

import worker from "../../src/worker.ts";
import { premiumAccount } from "../support/test-accounts.ts";
import { BASE_URL } from "../support/test-accounts.ts";

afterEach(() => vi.restoreAllMocks());

/** Objects that fail so many times. */
function failing(times: number): { SERVICE: Env["SERVICE"]; asked: string[] } {
  const asked: string[] = [];
  const getByName = (name: string) => ({
    fetch: (request: Request) => {
      asked.push(name);
      return asked.length <= times
        ? Promise.reject(Object.assign(new Error("reset because its code was updated"), { retryable: true }))
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

test("requests of a key, and of an address, have one object; different ones are spread over a few", async () => {
  const { SERVICE, asked } = failing(0);
  const from = (address: string) => send(SERVICE, "/health", { headers: { "CF-Connecting-IP": address } });
  for (let i = 0; i < 3; i++) await (await from("2001:db8::1")).text();
  expect(new Set(asked).size).toBe(1);
  for (let i = 0; i < 40; i++) await (await from(`2001:db8::${i}`)).text();
  expect(new Set(asked).size).toBeGreaterThan(4);
  expect(new Set(asked).size).toBeLessThanOrEqual(16);
});
