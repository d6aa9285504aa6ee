/** The number of queries that one network can cause without authentication. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

import { KEY_RANDOM_WORDS, newApiKey, parseApiKey, BASE62_ALPHABET } from "../../../src/core/identifiers.ts";
import { revokeKey } from "../../../src/store/accounts/api-keys.ts";
import worker from "../../../src/worker.ts";
import { BASE_URL, freeAccount, premiumAccount } from "../../support/test-accounts.ts";
import { SIGN_IN_LOAD_TIMEOUT_MS, preloadSignIn } from "../../support/browser-session.ts";
import { freezeClockAt } from "../../support/clock.ts";

const FAILED_KEYS_MAX_PER_MINUTE = 100;
const SIGN_IN_REQUESTS_MAX_PER_MINUTE = 300;

beforeAll(preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS);
// The clock is stopped: no window ends within a test, however slow the machine is.
beforeEach(() => freezeClockAt("2030-03-01T00:00:00Z"));
afterEach(() => {
  vi.useRealTimers();
});

let networks = 0;
const newNetwork = () => `2001:db8:ffff:${(++networks).toString(16)}`;
const madeUpKey = () => newApiKey("live", crypto.getRandomValues(new Uint32Array(KEY_RANDOM_WORDS))).text;

let queries = 0;
/** A database that counts statements, or one that fails. */
const database = (failure?: Error) =>
  new Proxy(env.DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "prepare") {
        if (failure) throw failure;
        queries++;
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
const counting = database();

interface Answer {
  status: number;
  code: string | undefined;
  retryAfter: string | null;
}

async function ask(path: string, ip: string, headers: Record<string, string> = {}, DB = counting): Promise<Answer> {
  const ctx = createExecutionContext();
  const request = new Request(BASE_URL + path, { headers: { "CF-Connecting-IP": ip, ...headers } });
  const response = await worker.fetch(request as Request<unknown, IncomingRequestCfProperties>, { ...env, DB }, ctx);
  const text = await response.text();
  await waitOnExecutionContext(ctx);
  const isError = response.status >= 400 && text.startsWith('{"error"');
  const code = isError ? (JSON.parse(text) as { error: { code: string } }).error.code : undefined;
  return { status: response.status, code, retryAfter: response.headers.get("Retry-After") };
}

const withKey = (key: string, ip: string, DB = counting) => ask("/v1/none", ip, { Authorization: `Bearer ${key}` }, DB);

/** The number of answers by status. */
function tally(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function times(n: number, work: (i: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < n; i++) answers.push(await work(i));
  return answers;
}

/** Uses up a network's attempts. */
const exhaust = (network: string) => times(FAILED_KEYS_MAX_PER_MINUTE, () => withKey(madeUpKey(), `${network}::1`));

describe("made-up keys with a valid checksum", () => {
  test("of one network cost as many queries as the limit; then 429 until Retry-After has passed", async () => {
    const network = newNetwork();
    queries = 0;
    const answers = await times(400, (i) => withKey(madeUpKey(), `${network}::${i.toString(16)}`));
    expect([tally(answers), queries]).toEqual([
      { 401: FAILED_KEYS_MAX_PER_MINUTE, 429: 400 - FAILED_KEYS_MAX_PER_MINUTE },
      FAILED_KEYS_MAX_PER_MINUTE,
    ]);
    expect(answers.at(-1)).toEqual({ status: 429, code: "rate_limited", retryAfter: "60" });
    freezeClockAt("2030-03-01T00:00:59.001Z");
    expect(await withKey(madeUpKey(), `${network}::1`)).toMatchObject({ status: 429, retryAfter: "1" });
    freezeClockAt("2030-03-01T00:01:00Z");
    expect((await withKey(madeUpKey(), `${network}::1`)).status).toBe(401);
    expect((await withKey(madeUpKey(), `${newNetwork()}::1`)).status).toBe(401);
  });

  test("cost no more when all are sent simultaneously", async () => {
    const network = newNetwork();
    queries = 0;
    const sent = Array.from({ length: 400 }, () => withKey(madeUpKey(), `${network}::1`));
    expect(tally(await Promise.all(sent))).toEqual({
      401: FAILED_KEYS_MAX_PER_MINUTE,
      429: 400 - FAILED_KEYS_MAX_PER_MINUTE,
    });
    expect(queries).toBe(FAILED_KEYS_MAX_PER_MINUTE);
  });
});

describe("a valid key", () => {
  test("used before still works in a network over its limit; one that is new there must wait", async () => {
    const [ann, ben] = [await premiumAccount(), await premiumAccount()];
    expect((await withKey(ann.key, `${newNetwork()}::1`)).status).toBe(404);
    const network = newNetwork();
    await exhaust(network);
    expect(tally(await times(5, () => withKey(ann.key, `${network}::2`)))).toEqual({ 404: 5 });
    queries = 0;
    expect([(await withKey(ben.key, `${network}::2`)).status, queries]).toEqual([429, 0]);
  });

  test("does not count: neither used repeatedly, nor over a hundred times simultaneously when new", async () => {
    const ann = await premiumAccount();
    const network = newNetwork();
    const sent = Array.from({ length: FAILED_KEYS_MAX_PER_MINUTE + 20 }, () => withKey(ann.key, `${network}::1`));
    expect(tally(await Promise.all(sent))).toEqual({ 404: FAILED_KEYS_MAX_PER_MINUTE + 20 });
    expect(tally(await exhaust(network))).toEqual({ 401: FAILED_KEYS_MAX_PER_MINUTE });
    expect((await withKey(madeUpKey(), `${network}::1`)).status).toBe(429);
  });

  test("does not let through others with its id and another secret", async () => {
    const ann = await freeAccount();
    const network = newNetwork();
    expect((await withKey(ann.key, `${network}::1`)).status).toBe(404);
    const { id, secret } = parseApiKey(ann.key) ?? { id: "", secret: "" };
    queries = 0;
    const answers = await times(FAILED_KEYS_MAX_PER_MINUTE + 20, (i) => withKey(keyOf(id, secret, i), `${network}::1`));
    expect([tally(answers), queries]).toEqual([
      { 401: FAILED_KEYS_MAX_PER_MINUTE, 429: 20 },
      FAILED_KEYS_MAX_PER_MINUTE,
    ]);
    expect((await withKey(ann.key, `${network}::1`)).status).toBe(404);
  });

  test("is refused immediately after its revocation, and counts like any wrong one", async () => {
    const ann = await freeAccount();
    const network = newNetwork();
    expect((await withKey(ann.key, `${network}::1`)).status).toBe(404);
    await revokeKey(env, parseApiKey(ann.key)?.id ?? "");
    queries = 0;
    const answers = await times(FAILED_KEYS_MAX_PER_MINUTE + 20, () => withKey(ann.key, `${network}::1`));
    expect([tally(answers), queries]).toEqual([
      { 401: FAILED_KEYS_MAX_PER_MINUTE, 429: 20 },
      FAILED_KEYS_MAX_PER_MINUTE,
    ]);
  });

  test("counts nothing while the database does not answer", async () => {
    const network = newNetwork();
    vi.spyOn(console, "error").mockImplementation(() => {});
    const down = database(new Error("D1_ERROR: down"));
    const failed = await times(FAILED_KEYS_MAX_PER_MINUTE + 1, () => withKey(madeUpKey(), `${network}::1`, down));
    expect(failed.every(({ status }) => status >= 500)).toBe(true);
    expect((await withKey((await freeAccount()).key, `${network}::1`)).status).toBe(404);
    vi.restoreAllMocks();
  });
});

test("requests of the sign-in protocol over the limit of a network cost no query", async () => {
  const network = newNetwork();
  const signIn = (i: number) => ask("/dashboard/api/auth/list-sessions", `${network}::${i.toString(16)}`);
  const allowed = await times(SIGN_IN_REQUESTS_MAX_PER_MINUTE, signIn);
  expect(allowed.some(({ code }) => code === "rate_limited")).toBe(false);
  queries = 0;
  const answers = await times(50, signIn);
  expect([tally(answers), queries]).toEqual([{ 429: 50 }, 0]);
  expect(answers.at(-1)).toEqual({ status: 429, code: "rate_limited", retryAfter: "60" });
  freezeClockAt("2030-03-01T00:01:00Z");
  expect((await signIn(1)).code).not.toBe("rate_limited");
});

/** A key with this id and another secret. */
function keyOf(id: string, secret: string, i: number): string {
  const wrong = String(i).padStart(4, "0") + secret.slice(4);
  const words = Array.from(
    id + wrong,
    (char) => ((BASE62_ALPHABET.indexOf(char) + 0.5) / BASE62_ALPHABET.length) * 2 ** 32,
  );
  return newApiKey("live", Uint32Array.from(words)).text;
}
