/** Live streams opened with a session: the dashboard follows all links, `/v1` only links created by the API. */
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";

import { BASE_URL, visit } from "../../support/test-accounts.ts";
import {
  type BrowserSession,
  preloadSignIn,
  SIGN_IN_LOAD_TIMEOUT_MS,
  signedUp,
} from "../../support/browser-session.ts";
import { StreamListener } from "../../support/stream-listener.ts";

vi.setConfig({ testTimeout: 40_000 });

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);

async function openSessionStream(session: BrowserSession, query: Record<string, string>): Promise<StreamListener> {
  const cookies = [...session.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await exports.default.fetch(
    `${BASE_URL}/dashboard/api/events/stream?${new URLSearchParams(query)}`,
    { headers: { Cookie: cookies, "Sec-Fetch-Site": "same-origin", "CF-Connecting-IP": session.ip } },
  );
  expect(response.status, response.ok ? "" : await response.text()).toBe(200);
  return new StreamListener(response);
}

describe("streams of the dashboard", () => {
  test("a link created in the dashboard streams live to its own page, and the stream resumes from a cursor", async () => {
    const session = await signedUp();
    const link = await session.createLink();
    const first = await openSessionStream(session, { link_id: link.id });
    await first.waitUntil(({ lastId }) => lastId !== undefined, "a cursor");
    await visit(link.short_url, { country: "DE" });
    expect((await first.waitForClicks(1)).map(({ country, link_id }) => [country, link_id])).toEqual([["DE", link.id]]);
    await first.close();
    await visit(link.short_url, { country: "FR" });
    const second = await openSessionStream(session, { link_id: link.id, since: first.lastId ?? "" });
    expect((await second.waitForClicks(1)).map(({ country }) => country)).toEqual(["FR"]);
    await second.close();
  });

  test("the account's stream has its clicks with origin=all, and not without", async () => {
    const session = await signedUp();
    const link = await session.createLink();
    const [all, api] = [await openSessionStream(session, { origin: "all" }), await openSessionStream(session, {})];
    for (const stream of [all, api]) await stream.waitUntil(({ lastId }) => lastId !== undefined, "a cursor");
    await visit(link.short_url);
    const clicks = await all.waitForClicks(1);
    expect(clicks.map(({ link_id }) => link_id)).toEqual([link.id]);
    await all.close();
    const resumed = await openSessionStream(session, { origin: "all", since: api.lastId ?? "" });
    expect(await resumed.waitForClicks(1)).toEqual(clicks);
    expect(api.clicks).toEqual([]);
    for (const stream of [resumed, api]) await stream.close();
  });
});
