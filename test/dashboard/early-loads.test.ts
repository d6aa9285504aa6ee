/** The dashboard requests only the intended paths, whatever an address contains as an id. */
import { expect, onTestFinished, test, vi } from "vitest";

import { API_PATH, fetchOrTakeEarly, forgetEarlyResponses, requestEarly } from "../../src/dashboard/early-loads.ts";

const fetched = vi.fn(async () => new Response("{}"));

test.each([
  ["/links/lnk_1", true],
  ["/links/lnk_1?next=/../x", true],
  ["/slugs/%C3%A9%2Fa", true],
  ["/links/..", false],
  ["/links/../account", false],
  ["/links/..\\..\\..\\spring", false],
  ["/links/%2e%2e/account", false],
  ["/links/.\t./account", false],
])("%j is requested: %s", async (path, isAsked) => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("fetch", fetched.mockClear());
  const { status } = await fetchOrTakeEarly(API_PATH + path);
  expect([status, fetched.mock.calls.length]).toEqual(isAsked ? [200, 1] : [404, 0]);
});

test("a response from before the sign-in is not used after it", async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal("fetch", async () => new Response("{}", { status: 401 }));
  await requestEarly("/links", "live");
  vi.stubGlobal("fetch", fetched);
  forgetEarlyResponses();
  const { status } = await fetchOrTakeEarly(`${API_PATH}/links`, { headers: { "Hoplink-Mode": "live" } });
  expect(status).toBe(200);
});
