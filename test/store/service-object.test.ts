/** Requests that a service object answers, on Workers' Free plan, and the responses if it does not. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { parseApiKey } from "../../src/core/identifiers.ts";
import { STREAMS_MAX } from "../../src/core/limits.ts";
import { feedName } from "../../src/core/streams/event-log.ts";
import { suspendAccount } from "../../src/store/accounts/accounts.ts";
import { revokeKey } from "../../src/store/accounts/api-keys.ts";
import worker from "../../src/worker.ts";
import { errorOf, readResponse } from "../support/api-response.ts";
import { type BrowserSession, preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS, signedUp } from "../support/browser-session.ts";
import { TOO_MANY_STREAMS } from "../support/expected-errors.ts";
import { StreamListener } from "../support/stream-listener.ts";
import { BASE_URL, freeAccount, premiumAccount, type TestAccount, visit } from "../support/test-accounts.ts";

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Two clients with open streams. */
interface Listeners {
  ann: TestAccount;
  ben: BrowserSession;
}

/** Objects whose first `times` requests fail. */
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

async function send(
  SERVICE: Env["SERVICE"],
  path: string,
  init: RequestInit = {},
  more: object = {},
): Promise<Response> {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  const ctx = createExecutionContext();
  const request = new Request(BASE_URL + path, init) as Parameters<typeof worker.fetch>[0];
  const response = await worker.fetch(
    request,
    { ...env, WORKERS_PLAN: "free", SERVICE, ...more } as unknown as Env,
    ctx,
  );
  await waitOnExecutionContext(ctx);
  return response;
}

test("a request that changes nothing is sent again when its object was reset", async () => {
  const { SERVICE, asked } = failing(1);
  const response = await send(SERVICE, "/health");
  expect([response.status, asked.length]).toEqual([200, 2]);
  await response.text();
});

test("a request that changes something is not: 503 unavailable, in the API's error format", async () => {
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

test("the dashboard then shows an error page; the API responds with JSON, even to a browser", async () => {
  const headers = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const { SERVICE } = failing(9, { overloaded: true });
  const page = await send(SERVICE, "/dashboard/links", { headers });
  expect([page.status, page.headers.get("Content-Type")]).toEqual([503, "text/html; charset=utf-8"]);
  expect([page.headers.get("Retry-After"), page.headers.get("Cache-Control")]).toEqual(["5", "no-store, no-transform"]);
  expect(await page.text()).toContain("This page is temporarily unavailable");
  for (const path of ["/v1/links", "/dashboard/api/account"]) {
    const answer = await send(SERVICE, path, { headers });
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([503, "application/json"]);
    await answer.text();
  }
});

test("an overloaded object gets no second request", async () => {
  const { SERVICE, asked } = failing(1, { retryable: true, overloaded: true });
  const response = await send(SERVICE, "/health");
  expect([response.status, asked.length]).toEqual([503, 1]);
  await response.text();
});

test("requests from one network go to one object, whatever key they send; different networks are spread over several", async () => {
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

describe("streams", () => {
  const withKey = (key: string) => ({ Authorization: `Bearer ${key}` });
  const open = (headers: Record<string, string>, path: string) => send(failing(0).SERVICE, path, { headers });
  const PATH = "/v1/events/stream";

  test.each([PATH, "/v1/events/strea%6d", "/v1/%65vents/str%65am"])(
    "%s: the object checks the request, the Worker sends the events, of an account and of a link, from a cursor",
    async (path) => {
      const ann = await premiumAccount();
      const link = await ann.createLink();
      const first = new StreamListener(await open(withKey(ann.key), path));
      expect(Object.fromEntries(first.response.headers)).toMatchObject({
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache, no-transform",
        "access-control-allow-origin": "*",
        "x-request-id": expect.stringMatching(/^req_/),
      });
      for (const name of ["X-Stream-Ticket", "Content-Length"]) expect(first.response.headers.has(name)).toBe(false);
      await visit(link.short_url, { country: "DE" });
      expect((await first.waitForClicks(1))[0]?.country).toBe("DE");
      const ofLink = new StreamListener(await open(withKey(ann.key), `${path}?link_id=${link.id}`));
      await ofLink.waitUntil(({ lastId }) => lastId !== undefined, "its cursor");
      for (const stream of [first, ofLink]) await stream.close();
      await visit(link.short_url, { country: "FR" });
      for (const [before, query] of [
        [first, "?"],
        [ofLink, `?link_id=${link.id}&`],
      ] as const) {
        const again = new StreamListener(await open(withKey(ann.key), `${path}${query}since=${before.lastId}`));
        expect((await again.waitForClicks(1)).map(({ country }) => country)).toEqual(["FR"]);
        await again.close();
      }
    },
  );

  test("HEAD opens none, and refusals are the same as elsewhere", async () => {
    const ann = await freeAccount();
    const head = await send(failing(0).SERVICE, PATH, { method: "HEAD", headers: withKey(ann.key) });
    expect([head.status, head.headers.get("Content-Type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    const streams = await Promise.all(
      Array.from({ length: STREAMS_MAX.free }, async () => new StreamListener(await open(withKey(ann.key), PATH))),
    );
    const full = await readResponse(await open(withKey(ann.key), PATH));
    expect(errorOf(full)).toEqual(TOO_MANY_STREAMS);
    expect(full.headers.get("Retry-After")).toBe("2");
    for (const stream of streams) await stream.close();
    const later = `${feedName(ann.accountId, "live")}-zz-1`;
    for (const [key, query, status] of [
      [ann.key, `since=${later}`, 422],
      [ann.key, "since=x", 422],
      [ann.key, "link_id=lnk_none", 404],
      ["svc_live_x", "", 401],
    ] as const) {
      const refused = await readResponse(await open(withKey(key), `${PATH}?${query}`));
      expect(errorOf(refused).status, query).toBe(status);
    }
  });

  test.each([
    ["a revoked key's", async ({ ann }: Listeners) => revokeKey(env, parseApiKey(ann.key)?.id ?? "")],
    ["a suspended account's", async ({ ann }: Listeners) => suspendAccount(env, ann.accountId)],
    ["a session's, after signing out", async ({ ben }: Listeners) => ben.auth("/sign-out")],
  ])("%s ends at the next check, others continue", async (whose, end) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const [ann, ben] = [await premiumAccount(), await signedUp()];
    const cookies = [...ben.cookies].map((pair) => pair.join("=")).join("; ");
    const ofKey = new StreamListener(await open(withKey(ann.key), PATH));
    const ofSession = new StreamListener(
      await open({ Cookie: cookies, "CF-Connecting-IP": ben.ip }, "/dashboard/api/events/stream"),
    );
    const [ends, stays] = whose.includes("session") ? [ofSession, ofKey] : [ofKey, ofSession];
    await vi.advanceTimersByTimeAsync(4_000);
    await end({ ann, ben });
    await vi.advanceTimersByTimeAsync(4_000);
    await ends.waitUntil(({ isClosed }) => isClosed, "its end");
    expect(stays.isClosed).toBe(false);
    await stays.close();
  });

  test("responds with 503 if the database does not answer", async () => {
    const ann = await premiumAccount();
    const broken = {
      prepare: () => {
        throw new Error("D1_ERROR: Network connection lost");
      },
    };
    const response = await send(failing(0).SERVICE, PATH, { headers: withKey(ann.key) }, { DB: broken });
    expect(errorOf(await readResponse(response))).toMatchObject({ status: 503, code: "unavailable" });
  });
});
