/** An account's keys, and the limits that all of them share (decisions 3, 15). */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { parseApiKey } from "../../../src/core/identifiers.ts";
import { KEYS_MAX } from "../../../src/core/limits.ts";
import { issueKeyText, revokeKey } from "../../../src/store/accounts/api-keys.ts";
import { type TestAccount, freeAccount, send } from "../../support/test-accounts.ts";
import { SIGN_IN_LOAD_TIMEOUT_MS, preloadSignIn, signedUp } from "../../support/browser-session.ts";
import { spend, withinRateLimitWindow } from "../../support/rate-limit-window.ts";
import { quotaExceeded, RATE_LIMITED, TOO_MANY_STREAMS } from "../../support/expected-errors.ts";
import { errorOf, type ApiResponse } from "../../support/api-response.ts";
import { openListener } from "../../support/stream-listener.ts";

const OF_A_KEY = 120;
const OF_AN_ACCOUNT = 600;
const STREAMS_OF_AN_ACCOUNT = 25;
const FULL = quotaExceeded("This account has 25 live keys, the maximum. Revoke one first.");

beforeAll(async () => {
  await preloadSignIn();
  // The first request loads the service, which vitest does file by file: no two requests may do that at the same time.
  await send("GET", "/health");
}, SIGN_IN_LOAD_TIMEOUT_MS);

afterEach(() => {
  vi.useRealTimers();
});

async function requests(actor: TestAccount, count: number): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.length < count) {
    const wave = Array.from({ length: Math.min(40, count - statuses.length) }, () => actor.call("GET", "/v1/none"));
    statuses.push(...(await Promise.all(wave)).map(({ status }) => status));
  }
  return statuses;
}

/** Same as `spend`, for a key and its account. */
async function spendOfKey({ key, accountId }: TestAccount, count: number): Promise<void> {
  await spend(env.RATE_FREE, parseApiKey(key)?.id ?? "", count);
  await spend(env.RATE_FREE_ACCOUNT, accountId, count);
}

const passed = (statuses: number[]) => statuses.filter((status) => status === 404).length;

describe("3 rates", () => {
  test(
    "an account can make 600 requests a minute on the Free plan, however many keys it has",
    { timeout: 120_000 },
    async () => {
      const { sent, refused, fresh } = await withinRateLimitWindow(async () => {
        const ann = await freeAccount();
        const keys = await Promise.all(Array.from({ length: 6 }, () => ann.withKey("live")));
        await spend(env.RATE_FREE_ACCOUNT, ann.accountId, OF_AN_ACCOUNT - 30);
        const statuses = (await Promise.all(keys.map((key) => requests(key, 6)))).flat();
        // An unused key of the other mode has nothing left either.
        const last = await ann.withKey("test");
        return { sent: statuses, refused: await last.call("GET", "/v1/links"), fresh: await freeAccount() };
      });
      expect([sent.length, passed(sent)]).toEqual([36, 30]);
      expect(errorOf(refused)).toEqual({
        ...RATE_LIMITED,
        message: "This account has sent too many requests within a minute.",
      });
      expect((await fresh.call("GET", "/v1/links")).status).toBe(200);
    },
  );

  test("requests refused to one key do not count against the account's other keys", { timeout: 120_000 }, async () => {
    const sent = await withinRateLimitWindow(async () => {
      const ann = await freeAccount();
      const keys = await Promise.all(Array.from({ length: 4 }, () => ann.withKey("live")));
      for (const key of [ann, ...keys]) await spendOfKey(key, OF_A_KEY - 5);
      const first = await requests(ann, 20);
      return [first, ...(await Promise.all(keys.map((key) => requests(key, 5))))];
    });
    // The account's limit in total.
    expect(sent.map(passed)).toEqual([5, 5, 5, 5, 5]);
  });

  test("callers that wait for Retry-After are let in, and none before the minute has ended", async () => {
    const { ann, refused, now } = await withinRateLimitWindow(async () => {
      const one = await freeAccount();
      await spendOfKey(one, OF_A_KEY - 1);
      expect(passed(await requests(one, 1))).toBe(1);
      return { ann: one, refused: await one.call("GET", "/v1/links"), now: Date.now() };
    });
    expect(refused.status).toBe(429);
    const wait = Number(refused.headers.get("Retry-After"));
    const minuteEnds = (Math.floor(now / 60_000) + 1) * 60_000;
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(wait).toBeLessThanOrEqual(60);
    // Some time has passed since the refusal, so the wait began before now.
    expect(now + wait * 1_000).toBeGreaterThanOrEqual(minuteEnds);
    vi.useFakeTimers({ toFake: ["Date"], now: minuteEnds - 1 });
    expect((await ann.call("GET", "/v1/links")).status).toBe(429);
    vi.setSystemTime(now + wait * 1_000);
    expect((await ann.call("GET", "/v1/links")).status).toBe(200);
  });

  test("an account can have 25 streams open on the Free plan, however many keys it has", async () => {
    const ann = await freeAccount();
    const keys = await Promise.all(Array.from({ length: 6 }, () => ann.withKey("live")));
    const streams = await Promise.all(keys.slice(0, 5).flatMap((key) => [1, 2, 3, 4, 5].map(() => openListener(key))));
    expect(streams).toHaveLength(STREAMS_OF_AN_ACCOUNT);
    const refused = (await keys[5]?.call("GET", "/v1/events/stream")) as ApiResponse;
    expect(errorOf(refused)).toEqual(TOO_MANY_STREAMS);
    await Promise.all(streams.map((stream) => stream.close()));
  });
});

describe("15 keys of an account", () => {
  const rows = (actor: { accountId: string }) =>
    env.DB.prepare("SELECT count(*) AS n FROM api_keys WHERE account_id = ?1").bind(actor.accountId).first<number>("n");

  test("at most 25 of each mode are in use; revoking one makes room", async () => {
    const ann = await signedUp();
    const made = [];
    for (let i = 0; i < KEYS_MAX; i++) made.push(await ann.api("POST", "/keys", { name: `k${i}`, mode: "live" }));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    const refused = await ann.api("POST", "/keys", { name: "one more", mode: "live" });
    expect(errorOf(refused)).toEqual(FULL);
    expect((await ann.api("POST", "/keys", { name: "other mode", mode: "test" })).status).toBe(201);
    const [first] = made.map(({ body }) => body as { id: string });
    await ann.api("DELETE", `/keys/${first?.id}`);
    expect((await ann.api("POST", "/keys", { name: "again", mode: "live" })).status).toBe(201);
    expect(errorOf(await ann.api("POST", "/keys", { name: "one more", mode: "live" }))).toEqual(FULL);
  });

  test("of 60 concurrent requests exactly as many create a key as there is room for", async () => {
    const ann = await freeAccount();
    const asked = await Promise.allSettled(
      Array.from({ length: 60 }, () => issueKeyText(env, ann.accountId, "live", "at once")),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(KEYS_MAX - 1);
    expect(await rows(ann)).toBe(KEYS_MAX);
  });

  test("creating and revoking keys in a loop does not pile them up", async () => {
    const ann = await freeAccount();
    for (let i = 0; i < 4 * KEYS_MAX; i++) {
      const key = parseApiKey(await issueKeyText(env, ann.accountId, "live", "loop"));
      await revokeKey(env, key?.id ?? "");
    }
    expect(await rows(ann)).toBeLessThanOrEqual(1 + KEYS_MAX + 1);
    expect((await ann.call("GET", "/v1/links")).status).toBe(200);
  });
});
